//=============================================================================
// EquipoiseLink: asks an equipoise weight server from within UT2004.
//
// NOT COMPILED HERE: there was no UnrealScript compiler where this was written.
// It follows docs/protocol.md; the classes and functions of the engine it uses
// are TcpLink (MODE_Line, Resolve, BindPort, Open, SendText), Mutator
// (NextMutator), PlayerController (GetPlayerIDHash) and TeamGame.
//
// EquipoiseMutator.uc spawns one of these when a game begins and is told the
// weights as they come.
//=============================================================================
class EquipoiseLink extends TcpLink
	config(Equipoise);

var config string ServerHost;   // where equipoise serve listens
var config int    ServerPort;
var config float  RetrySeconds; // between two attempts to connect

var EquipoiseMutator Owner_;    // who is told
var array<string> Waiting;      // questions until the connection is there
var bool bReady;

function Begin(EquipoiseMutator Teller)
{
	Owner_ = Teller;
	LinkMode = MODE_Line;
	ReceiveMode = RMODE_Event;
	Connect();
}

function Connect()
{
	bReady = false;
	Resolve(ServerHost);
}

event Resolved(IpAddr Found)
{
	Found.Port = ServerPort;
	if (BindPort() == 0 || !Open(Found))
		SetTimer(RetrySeconds, false);
}

event ResolveFailed()
{
	SetTimer(RetrySeconds, false);
}

event Timer()
{
	Connect();
}

event Opened()
{
	local int i;

	bReady = true;
	SendGame();
	for (i = 0; i < Waiting.Length; i++)
		SendText(Waiting[i]);
	Waiting.Length = 0;
}

event Closed()
{
	// The server forgets the game with the connection: Opened says it again.
	SetTimer(RetrySeconds, false);
	bReady = false;
}

// Which game this is: its class, and every mutator.  The server knows which of
// them change play.
function SendGame()
{
	local Mutator M;

	SendText("GAME ut2004/" $ Level.Game.Class);
	for (M = Level.Game.BaseMutator; M != None; M = M.NextMutator)
		SendText("MUTATOR " $ M.Class);
	SendText("MEANBOT");
}

function Ask(string Question)
{
	if (bReady)
		SendText(Question);
	else
		Waiting[Waiting.Length] = Question;
}

function AskPlayer(PlayerController Who)
{
	Ask("PLAYER " $ Who.GetPlayerIDHash());
}

function AskBot(Controller Who)
{
	Ask("BOT " $ Who.PlayerReplicationInfo.PlayerName);
}

function AskTeams(int Count)
{
	Ask("TEAMS " $ Count);
}

event ReceivedLine(string Line)
{
	local string Verb, Rest;

	while (Len(Line) > 0 && (Right(Line, 1) == Chr(10) || Right(Line, 1) == Chr(13)))
		Line = Left(Line, Len(Line) - 1);
	if (!Divide(Line, " ", Verb, Rest))
		return;

	if (Verb == "PLAYER")
		HearWeight(false, Rest);
	else if (Verb == "BOT")
		HearWeight(true, Rest);
	else if (Verb == "MEANBOT")
		Owner_.MeanBotIs(float(Rest));
	else if (Verb == "TEAMS")
		HearTeams(Rest);
	else if (Verb == "ERR")
		Log("Equipoise:" @ Rest, 'Equipoise');
}

// "name weight", or the name alone where nobody is known by it.  Ids have no
// spaces; the names of bots may, so the weight is what follows the last one.
function HearWeight(bool bBot, string Rest)
{
	local int Cut, i;

	Cut = -1;
	for (i = 0; i < Len(Rest); i++)
		if (Mid(Rest, i, 1) == " ")
			Cut = i;
	if (Cut < 0)
		Owner_.WeightIs(bBot, Rest, -1.0);
	else
		Owner_.WeightIs(bBot, Left(Rest, Cut), float(Mid(Rest, Cut + 1)));
}

// "k", then a tab and a seat for each member: "0 PLAYER id".
function HearTeams(string Rest)
{
	local array<string> Seats;
	local string Team, Member, Verb, Who;
	local int i;

	Split(Rest, Chr(9), Seats);
	for (i = 1; i < Seats.Length; i++)
		if (Divide(Seats[i], " ", Team, Member) && Divide(Member, " ", Verb, Who))
			Owner_.TeamIs(Verb == "BOT", Who, int(Team));
}

defaultproperties
{
	ServerHost="127.0.0.1"
	ServerPort=7790
	RetrySeconds=10.0
}
