"""Games whose wagers are decided by what one turn of their equipment shows; described in the submission alone."""
