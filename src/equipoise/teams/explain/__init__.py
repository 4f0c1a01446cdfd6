"""Why these teams, what each rule costs, and what a change would do."""
