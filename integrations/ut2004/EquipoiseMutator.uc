//=============================================================================
// EquipoiseMutator: even teams in UT2004, from the weights of an equipoise
// server.  NOT COMPILED: see EquipoiseLink.uc.
//
// While players gather, everyone's team is asked for whenever somebody comes or
// goes, so that the answer is there before the match starts and its players are
// restarted; bots level the numbers by then.  In a running game no player is
// moved: who comes late is sent to a team, and the weaker team hits a little
// harder, or gets one bot more where that does not suffice.  At the end the
// result goes to the server, which learns from it.
//=============================================================================
class EquipoiseMutator extends Mutator
	config(Equipoise);

var config int MinPlayers;      // players and bots, where the map allows it
var config bool bAdvantage;     // whether the weaker team hits harder
var config float BotFactor;     // on its odds, above which it gets a bot; 0 never
var config float LookSeconds;   // between two looks who is there
var config float AnswerSeconds; // after which what was not answered is said again

var EquipoiseLink Link;
var EquipoiseRules Rules;
var string Last;                // who was where at the last look
var string Placed;              // ids that were sent to a team already
var string Asking;              // for whom a team is asked, who came late
var string Divided;             // the bots that were divided, once they were there
var float AskAgain, ReportAgain; // when that, and the result, are said again
var string Id;                  // of this game's result
var int BotTeam;                // the team with one bot more, -1 for none
var int Bots;                   // that the server knows
var bool bStarted, bReported, bKept;

function PostBeginPlay()
{
	Super.PostBeginPlay();
	if (!Level.Game.bTeamGame)
		return;
	BotTeam = -1;
	Rules = Spawn(class'EquipoiseRules');
	Level.Game.AddGameModifier(Rules);
	Link = Spawn(class'EquipoiseLink');
	Link.Start(self);
	SetTimer(LookSeconds, true);
}

// After each connect: which game this is, its mutators, who is there.
function Connected()
{
	local Mutator M;

	if (Id == "") // mutators are made before what knows the server's name
		Id = Level.Game.GameReplicationInfo.ServerName@Level.Year$"-"$Level.Month$"-"$Level.Day@Level.Hour$":"$Level.Minute$":"$Level.Second@Rand(10000);
	Link.Say("GAME ut2004/"$Level.Game.Class);
	for (M = Level.Game.BaseMutator; M != None; M = M.NextMutator)
		if (M != self)
			Link.Say("MUTATOR "$M.Class);
	Link.Say("MEANBOT");
	Last = "";
	if (bReported && !bKept)
		Report();
}

function MatchStarting()
{
	Super.MatchStarting();
	bStarted = true;
	Last = "";
	KeepPlaces();
	Timer();
}

event Timer()
{
	local string Now;

	if (Link == None || !Link.bReady)
		return;
	if (Level.Game.bGameEnded)
	{
		if (!bReported || (!bKept && Level.TimeSeconds >= ReportAgain))
			Report();
		return;
	}
	SetBots();
	if (bStarted)
	{
		SendLate();
		DivideBots();
	}
	Now = Seats();
	if (Now == Last)
		return;
	Last = Now;
	if (!bStarted && InStr(Mid(Now, 1), Chr(9)) >= 0)
		Link.Say("TEAMS 2"$Now);
	if (bStarted && bAdvantage && HasBoth(Now))
		Link.Say("ADVANTAGE"$Now);
}

// Everyone with a team, as fields of a line: a tab, the team, PLAYER or BOT.
function string Seats()
{
	local Controller C;
	local string Found;

	for (C = Level.ControllerList; C != None; C = C.NextController)
		if (Plays(C))
			Found = Found$Chr(9)$C.PlayerReplicationInfo.Team.TeamIndex@NameOf(C);
	return Found;
}

function bool Plays(Controller C)
{
	if (C.PlayerReplicationInfo == None || C.PlayerReplicationInfo.bOnlySpectator)
		return false;
	return C.PlayerReplicationInfo.Team != None && C.PlayerReplicationInfo.Team.TeamIndex < 2;
}

function string NameOf(Controller C)
{
	if (PlayerController(C) != None)
		return "PLAYER "$PlayerController(C).GetPlayerIDHash();
	return "BOT "$C.PlayerReplicationInfo.PlayerName;
}

function bool HasBoth(string Fields)
{
	return InStr(Fields, Chr(9)$"0 ") >= 0 && InStr(Fields, Chr(9)$"1 ") >= 0;
}

// Who comes into a running game is sent to the team that needs them, once; one
// after the other, and again where the server was busy or did not answer.
function SendLate()
{
	local Controller C;

	if (Asking != "" && Level.TimeSeconds < AskAgain)
		return;
	Asking = "";
	for (C = Level.ControllerList; C != None; C = C.NextController)
		if (PlayerController(C) != None && Plays(C) && InStr(Placed, NameOf(C)$";") < 0)
		{
			Asking = NameOf(C);
			AskAgain = Level.TimeSeconds + AnswerSeconds;
			Link.Say("JOIN "$PlayerController(C).GetPlayerIDHash()$SeatsWithout(C));
			return;
		}
}

// Bots come after the match has begun, one by one.  Once all are there they are
// divided among the players, who stay where they are.
function DivideBots()
{
	local Controller C;
	local string Fields, Names;
	local int Count;

	for (C = Level.ControllerList; C != None; C = C.NextController)
		if (Plays(C))
		{
			Count++;
			if (PlayerController(C) != None)
				Fields = Fields$Chr(9)$C.PlayerReplicationInfo.Team.TeamIndex@NameOf(C);
			else
				Names = Names$Chr(9)$NameOf(C);
		}
	if (Names == "" || Fields == "" || Names == Divided || Count < DeathMatch(Level.Game).MinPlayers)
		return;
	Divided = Names;
	Link.Say("TEAMS 2"$Fields$Names);
}

function string SeatsWithout(Controller Who)
{
	local Controller C;
	local string Found;

	for (C = Level.ControllerList; C != None; C = C.NextController)
		if (C != Who && Plays(C))
			Found = Found$Chr(9)$C.PlayerReplicationInfo.Team.TeamIndex@NameOf(C);
	return Found;
}

// As many bots as level the teams, one more where a team is much the weaker, and
// no fewer players than the map wants.
function SetBots()
{
	local Controller C;
	local int Sizes[2], All[2], Wanted;

	if (DeathMatch(Level.Game) == None)
		return;
	for (C = Level.ControllerList; C != None; C = C.NextController)
		if (Plays(C))
		{
			All[C.PlayerReplicationInfo.Team.TeamIndex]++;
			if (PlayerController(C) != None)
				Sizes[C.PlayerReplicationInfo.Team.TeamIndex]++;
		}
	Wanted = Clamp(MinPlayers, Level.IdealPlayerCountMin, Level.IdealPlayerCountMax);
	Wanted += Wanted % 2;
	Wanted = Max(Wanted, 2 * Max(Sizes[0], Sizes[1]));
	if (BotTeam >= 0)
	{
		Wanted++;
		if (All[BotTeam] < All[1 - BotTeam])
			MoveBot();
	}
	DeathMatch(Level.Game).MinPlayers = Wanted;
}

// The game sends a bot where it likes; that one belongs to the weaker team.
function MoveBot()
{
	local Controller C;

	for (C = Level.ControllerList; C != None; C = C.NextController)
		if (Plays(C) && PlayerController(C) == None && C.PlayerReplicationInfo.Team.TeamIndex != BotTeam)
		{
			PutInTeam(C, BotTeam);
			return;
		}
}

function PutInTeam(Controller C, int Team)
{
	if (Level.Game.ChangeTeam(C, Team, true) && C.Pawn != None)
		C.Pawn.PlayerChangedTeam();
}

// What the server knows of bots: of those it has never seen it takes the mean one.
function MeanBotIs(float Weight, int Count)
{
	Bots = Count;
	Log("Equipoise: the mean of"@Count@"bots is worth"@Weight, 'Equipoise');
}

// A bot comes where weapons cannot level the game, and goes where it was too much.
function AdvantageIs(float First, float Second)
{
	Rules.Factors[0] = FMax(First, 0.1);
	Rules.Factors[1] = FMax(Second, 0.1);
	if (BotFactor <= 0.0 || Bots == 0)
		return;
	if (BotTeam < 0 && First > BotFactor)
		BotTeam = 0;
	else if (BotTeam < 0 && Second > BotFactor)
		BotTeam = 1;
	else if (BotTeam >= 0 && Rules.Factors[1 - BotTeam] > BotFactor)
		BotTeam = -1;
}

// Most are sent to where they are already; the others change team.  In a running
// game only bots are, and who has just come.
function TeamIs(bool bBot, string Who, int Team)
{
	local Controller C;
	local string Named;

	Named = "PLAYER "$Who;
	if (bBot)
		Named = "BOT "$Who;
	if (bStarted && !bBot && Named != Asking)
		return;
	for (C = Level.ControllerList; C != None; C = C.NextController)
		if (Plays(C) && NameOf(C) == Named && C.PlayerReplicationInfo.Team.TeamIndex != Team)
			PutInTeam(C, Team);
	if (Named == Asking)
	{
		Placed = Placed$Named$";";
		Asking = "";
	}
}

// Whoever is here has a team.
function KeepPlaces()
{
	local Controller C;

	for (C = Level.ControllerList; C != None; C = C.NextController)
		if (PlayerController(C) != None && Plays(C) && InStr(Placed, NameOf(C)$";") < 0)
			Placed = Placed$NameOf(C)$";";
}

function TeamsAreMade()
{
	if (!bStarted)
		KeepPlaces();
	Last = Seats();
}

// The server was busy, or its archive could not be written: the same once more,
// at the next look after a while.
function SayAgain()
{
	Last = "";
	Divided = "";
	AskAgain = Level.TimeSeconds + AnswerSeconds;
	ReportAgain = Level.TimeSeconds + AnswerSeconds;
}

// The score of each team and who played; said again until the server has it, which
// counts it once by its id.
function Report()
{
	bReported = true;
	ReportAgain = Level.TimeSeconds + AnswerSeconds;
	if (Link.Token == "" || !HasBoth(Seats()))
		return;
	Link.Say("RESULT "$Id$Chr(9)$int(TeamGame(Level.Game).Teams[0].Score)@int(TeamGame(Level.Game).Teams[1].Score)$Seats());
}

function ResultIsKept()
{
	bKept = true;
}

defaultproperties
{
	GroupName="Equipoise"
	FriendlyName="Equipoise"
	Description="Even teams, from what everybody has done before."
	MinPlayers=8
	bAdvantage=true
	BotFactor=1.6
	LookSeconds=2.0
	AnswerSeconds=10.0
}
