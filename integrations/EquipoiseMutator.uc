//=============================================================================
// EquipoiseMutator: even teams in UT2004, from the weights of an equipoise
// server.  NOT COMPILED HERE: see EquipoiseLink.uc.
//
// It asks for everybody's weight as they come, has the server divide everyone
// when the game is about to begin, and moves those who sit elsewhere.
//=============================================================================
class EquipoiseMutator extends Mutator
	config(Equipoise);

var config float DefaultWeight; // of whom nobody knows
var EquipoiseLink Link;
var float MeanBot;
var bool bDivided;

function PostBeginPlay()
{
	Super.PostBeginPlay();
	MeanBot = DefaultWeight;
	Link = Spawn(class'EquipoiseLink');
	Link.Begin(self);
}

// Called for each pawn as it appears: the first appearance is before the game.
function ModifyPlayer(Pawn Other)
{
	Super.ModifyPlayer(Other);
	if (PlayerController(Other.Controller) != None)
		Link.AskPlayer(PlayerController(Other.Controller));
	else if (Other.Controller != None && Other.Controller.PlayerReplicationInfo != None)
		Link.AskBot(Other.Controller);
}

function MatchStarting()
{
	Super.MatchStarting();
	if (!bDivided && Level.Game.bTeamGame)
	{
		bDivided = true;
		Link.AskTeams(2);
	}
}

function MeanBotIs(float Weight)
{
	MeanBot = Weight;
}

// Weight is below 0 where nobody is known by that name.
function WeightIs(bool bBot, string Who, float Weight)
{
	if (Weight < 0.0)
		Weight = DefaultWeight;
	Log("Equipoise:" @ Who @ Weight, 'Equipoise');
}

function TeamIs(bool bBot, string Who, int Team)
{
	local Controller C;

	for (C = Level.ControllerList; C != None; C = C.NextController)
		if (IsNamed(C, bBot, Who) && C.PlayerReplicationInfo.Team != None
			&& C.PlayerReplicationInfo.Team.TeamIndex != Team)
		{
			if (Level.Game.ChangeTeam(C, Team, true) && C.Pawn != None)
				C.Pawn.PlayerChangedTeam();
		}
}

function bool IsNamed(Controller C, bool bBot, string Who)
{
	if (C.PlayerReplicationInfo == None)
		return false;
	if (bBot)
		return PlayerController(C) == None && C.PlayerReplicationInfo.PlayerName == Who;
	return PlayerController(C) != None && PlayerController(C).GetPlayerIDHash() == Who;
}

defaultproperties
{
	GroupName="Equipoise"
	FriendlyName="Equipoise"
	Description="Even teams, from what everybody has done before."
	DefaultWeight=50.0
}
