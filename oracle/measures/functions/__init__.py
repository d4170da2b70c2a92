"""Measures that no sum over documents defines: a function a clause."""
