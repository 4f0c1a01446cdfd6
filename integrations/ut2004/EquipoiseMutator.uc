//=============================================================================
// EquipoiseMutator: even teams in UT2004, from the weights of an equipoise
// server.  NOT COMPILED: see EquipoiseLink.uc.
//
// While players gather, everyone's team is asked for whenever somebody comes or
// goes, so that the answer is there before the match starts and its players are
// restarted.  In a running game nobody is moved: who comes late is sent to a
// team, bots level the numbers, and the weaker team hits a little harder.  At
// the end the result goes to the server, which learns from it.
//=============================================================================
class EquipoiseMutator extends Mutator
	config(Equipoise);

var config int MinPlayers;      // players and bots, where the map allows it
var config bool bAdvantage;     // whether the weaker team hits harder
var config float LookSeconds;   // between two looks who is there

var EquipoiseLink Link;
var EquipoiseRules Rules;
var string Last;                // who was where at the last look
var string Placed;              // ids that were sent to a team already
var string Id;                  // of this game's result
var float MeanBot;
var bool bStarted, bReported, bKept;

function PostBeginPlay()
{
	Super.PostBeginPlay();
	if (!Level.Game.bTeamGame)
		return;
	Id = Level.Game.GameReplicationInfo.ServerName@Level.Year$"-"$Level.Month$"-"$Level.Day@Level.Hour$":"$Level.Minute$":"$Level.Second@Rand(10000);
	Rules = Spawn(class'EquipoiseRules');
	Level.Game.AddGameModifier(Rules);
	Link = Spawn(class'EquipoiseLink');
	Link.Begin(self);
	SetTimer(LookSeconds, true);
}

// After each connect: which game this is, its mutators, who is there.
function Connected()
{
	local Mutator M;

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
	Timer();
}

event Timer()
{
	local string Now;

	if (Link == None || !Link.bReady)
		return;
	if (Level.Game.bGameEnded)
	{
		if (!bReported)
			Report();
		return;
	}
	SetBots();
	if (bStarted)
		SendLate();
	Now = Seats(false);
	if (Now == Last)
		return;
	Last = Now;
	if (!bStarted)
		Link.Say("TEAMS 2"$Now);
	else if (bAdvantage && HasBoth(Now))
		Link.Say("ADVANTAGE"$Seats(true));
}

// Everyone with a team, as fields of a line: a tab, the team, PLAYER or BOT.
function string Seats(bool bBots)
{
	local Controller C;
	local string Found;

	for (C = Level.ControllerList; C != None; C = C.NextController)
		if (Plays(C) && (bBots || PlayerController(C) != None))
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

// Who comes into a running game is sent to the team that needs them, once.
function SendLate()
{
	local Controller C;

	for (C = Level.ControllerList; C != None; C = C.NextController)
		if (PlayerController(C) != None && Plays(C) && InStr(Placed, NameOf(C)$";") < 0)
		{
			Placed = Placed$NameOf(C)$";";
			if (InStr(Last, NameOf(C)) < 0)
				Link.Say("JOIN "$PlayerController(C).GetPlayerIDHash()$SeatsWithout(C));
		}
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

// As many bots as level the teams, and no fewer players than the map wants.
function SetBots()
{
	local Controller C;
	local int Sizes[2], Wanted;

	if (DeathMatch(Level.Game) == None)
		return;
	for (C = Level.ControllerList; C != None; C = C.NextController)
		if (PlayerController(C) != None && Plays(C))
			Sizes[C.PlayerReplicationInfo.Team.TeamIndex]++;
	Wanted = Clamp(MinPlayers, Level.IdealPlayerCountMin, Level.IdealPlayerCountMax);
	Wanted += Wanted % 2;
	DeathMatch(Level.Game).MinPlayers = Max(Wanted, 2 * Max(Sizes[0], Sizes[1]));
}

// The server counts bots at their own weights where seats name them, and at this one where they only fill up.
function MeanBotIs(float Weight)
{
	MeanBot = Weight;
	Log("Equipoise: the mean bot is worth"@Weight, 'Equipoise');
}

function AdvantageIs(float First, float Second)
{
	Rules.Factors[0] = FMax(First, 0.1);
	Rules.Factors[1] = FMax(Second, 0.1);
}

// Sent to where they are already, most stay; the others change team.
function TeamIs(bool bBot, string Who, int Team)
{
	local Controller C;

	for (C = Level.ControllerList; C != None; C = C.NextController)
		if (Plays(C) && !bBot && NameOf(C) == "PLAYER "$Who && C.PlayerReplicationInfo.Team.TeamIndex != Team)
		{
			if (Level.Game.ChangeTeam(C, Team, true) && C.Pawn != None)
				C.Pawn.PlayerChangedTeam();
		}
}

function Divided()
{
	local Controller C;

	for (C = Level.ControllerList; C != None; C = C.NextController)
		if (PlayerController(C) != None && Plays(C) && InStr(Placed, NameOf(C)$";") < 0)
			Placed = Placed$NameOf(C)$";";
	Last = Seats(false);
}

// The score of each team and who played; said again after a reconnect.
function Report()
{
	bReported = true;
	if (Link.Token == "" || !HasBoth(Seats(true)))
		return;
	Link.Say("RESULT "$Id$Chr(9)$int(TeamGame(Level.Game).Teams[0].Score)@int(TeamGame(Level.Game).Teams[1].Score)$Seats(true));
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
	LookSeconds=2.0
}
