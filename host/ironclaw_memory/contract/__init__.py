"""The contract of the five tools on the host's side: pure tables and functions.

`arguments` makes a request canonical, `excerpt` bounds a search hit, `sentences`
owns what a person or a model reads of a failure, `outputs` shapes and checks an answer.
"""
