//=============================================================================
// EquipoiseLink: the line to an equipoise weight server, from within UT2004.
//
// NOT COMPILED: no UnrealScript compiler was at hand where this was written.
// Its syntax is checked, what it says to the server was recorded against one.
// It speaks docs/protocol.md; of the engine it uses TcpLink in MODE_Text, since
// lines may be longer than what MODE_Line hands over at once.
//=============================================================================
class EquipoiseLink extends TcpLink
	config(Equipoise);

var config string ServerHost;   // where equipoise serve listens
var config int ServerPort;
var config float RetrySeconds;  // between two attempts to connect
var config string Token;        // of the server, to report results

var EquipoiseMutator Listener;  // who is told what the server says
var string Heard;               // the beginning of a line
var bool bReady;

const PIECE = 200;              // characters that are sent at once

function Start(EquipoiseMutator Who)
{
	Listener = Who;
	LinkMode = MODE_Text;
	ReceiveMode = RMODE_Event;
	Connect();
}

function Connect()
{
	bReady = false;
	Heard = "";
	Resolve(ServerHost);
}

event Resolved(IpAddr Found)
{
	Found.Port = ServerPort;
	if (LinkState == STATE_Ready || BindPort() != 0)
		Open(Found);
	SetTimer(RetrySeconds, false); // nothing says that an attempt came to nothing
}

event ResolveFailed()
{
	SetTimer(RetrySeconds, false);
}

event Timer()
{
	if (bReady)
		return;
	if (LinkState == STATE_Connecting || LinkState == STATE_Connected)
		Close();
	Connect();
}

// The server forgets a game with its connection, so everything is said again.
event Opened()
{
	bReady = true;
	SetTimer(0.0, false);
	if (Token != "")
		Say("AUTH "$Token);
	Listener.Connected();
}

event Closed()
{
	bReady = false;
	SetTimer(RetrySeconds, false);
}

// What is said while there is no connection is not kept: Connected() says it.
function Say(string Line)
{
	if (!bReady)
		return;
	Line = Line$Chr(10);
	while (Len(Line) > PIECE)
	{
		SendText(Left(Line, PIECE));
		Line = Mid(Line, PIECE);
	}
	SendText(Line);
}

event ReceivedText(string Text)
{
	local int End;

	Heard = Heard$Text;
	End = InStr(Heard, Chr(10));
	while (End >= 0)
	{
		Hear(Left(Heard, End));
		Heard = Mid(Heard, End + 1);
		End = InStr(Heard, Chr(10));
	}
}

function Hear(string Line)
{
	local string Verb, Rest;

	if (!Divide(Line, " ", Verb, Rest))
		return;
	if (Verb == "MEANBOT")
		HearMeanBot(Rest);
	else if (Verb == "TEAMS")
		HearTeams(Rest);
	else if (Verb == "JOIN")
		Listener.TeamIs(false, BeforeLast(Rest), int(AfterLast(Rest)));
	else if (Verb == "ADVANTAGE")
		HearAdvantage(Rest);
	else if (Verb == "RESULT")
		Listener.ResultIsKept();
	else if (Verb == "ERR")
		HearError(Rest);
}

// What was refused for now is said again; anything else is for people to read.
function HearError(string Rest)
{
	local string Code, Words;

	Log("Equipoise:"@Rest, 'Equipoise');
	if (Divide(Rest, " ", Code, Words) && (Code == "busy" || Code == "unavailable"))
		Listener.SayAgain();
}

// Its weight, and how many bots that is of.
function HearMeanBot(string Rest)
{
	local string Weight, Count;

	if (Divide(Rest, " ", Weight, Count))
		Listener.MeanBotIs(float(Weight), int(Count));
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
			Listener.TeamIs(Verb == "BOT", Who, int(Team));
	Listener.TeamsAreMade();
}

// A factor for each team.
function HearAdvantage(string Rest)
{
	local string First, Second;

	if (Divide(Rest, " ", First, Second))
		Listener.AdvantageIs(float(First), float(Second));
}

// Names may hold spaces, so a number stands after the last one.
function string BeforeLast(string Text)
{
	return Left(Text, LastSpace(Text));
}

function string AfterLast(string Text)
{
	return Mid(Text, LastSpace(Text) + 1);
}

function int LastSpace(string Text)
{
	local int i;

	for (i = Len(Text) - 1; i >= 0; i--)
		if (Mid(Text, i, 1) == " ")
			return i;
	return Len(Text);
}

defaultproperties
{
	ServerHost="127.0.0.1"
	ServerPort=7790
	RetrySeconds=10.0
}
