//=============================================================================
// EquipoiseRules: what the weaker team is owed, as the strength of its weapons.
// NOT COMPILED: see EquipoiseLink.uc.
//=============================================================================
class EquipoiseRules extends GameRules;

var float Factors[2];           // on the odds of each team, 1 for the stronger
var float MostStrength;         // the most by which damage is multiplied

function int NetDamage(int OriginalDamage, int Damage, Pawn Injured, Pawn InstigatedBy, vector HitLocation, out vector Momentum, class<DamageType> DamageType)
{
	local int Hit, By;

	Damage = Super.NetDamage(OriginalDamage, Damage, Injured, InstigatedBy, HitLocation, Momentum, DamageType);
	Hit = TeamOf(Injured);
	By = TeamOf(InstigatedBy);
	if (Hit < 0 || By < 0 || Hit == By)
		return Damage;
	return int(float(Damage) * FClamp(Sqrt(Factors[By] / Factors[Hit]), 1.0 / MostStrength, MostStrength) + 0.5);
}

function int TeamOf(Pawn Who)
{
	if (Who == None || Who.PlayerReplicationInfo == None || Who.PlayerReplicationInfo.Team == None)
		return -1;
	if (Who.PlayerReplicationInfo.Team.TeamIndex > 1)
		return -1;
	return Who.PlayerReplicationInfo.Team.TeamIndex;
}

defaultproperties
{
	Factors(0)=1.0
	Factors(1)=1.0
	MostStrength=1.25
}
