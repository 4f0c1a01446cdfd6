"""Who somebody is: names, aliases, clan tags, the look-up of people, merges and forgetting."""
