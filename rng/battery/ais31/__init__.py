"""The statistical tests of AIS 20/31: procedures A and B of the German evaluation of random number generators."""

from rng.battery.ais31.procedures import Procedure, ProcedureResult, run_procedure

__all__ = ["Procedure", "ProcedureResult", "run_procedure"]
