"""Exact figures of one seat against a free bank: what each side can secure, and what a pair of strategies comes to.

How the parts are called (``terms`` is ``settlement.terms_of(game)``, conducts are those of ``free_bank.strategy``):

- ``joint.joint(terms, player, bank)``: exact joint distribution of how both hands end, and of the net result.
- ``best_player.player_best_response(terms, bank)``: the player's best answer and its exact expected net result.
- ``best_bank.bank_best_response(terms, player)``: the bank's best answer, on exactly what it sees.
- ``equilibrium.equilibrium(terms, width)``: a pair of strategies with an exact bracket, not wider than requested.
- ``equilibrium.bracket(terms, player, bank)``: the bracket of a given pair, by both best answers, nothing solved.
- ``names.conduct``, ``names.fixed``: strategies by the names of the command line.

Everything counts ordered deals in whole numbers and divides once at the end; floating point finds candidates for an
equilibrium and proves nothing.
"""
