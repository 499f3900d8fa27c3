"""Living papers: one folder for each, with its tables, their printed numbers, and its claims as predicates.

Nothing of a paper lies outside its folder. Its package registers by name what the rest of Wayfolk can use: maps, problems
and algorithms (see `wayfolk.problem.papers`). Its module `tables` is what `wayfolk reproduce` runs. It has TITLE, TABLES (a
list of `PrintedTable`), CLAIMS (a list of `Claim`), and may have

    FIGURES     a list of `Figure`
    CAUSES      by claim: a `Cause`, which is shown where the claim fails or is undecided
    CHOICES     a list of `Choice`: settings chosen where the text is silent
    FINDINGS    sentences for the top of the page, or functions that write them from measured rows
    READINGS    other readings of the text, by title: what is added to the names of the tables measured that way
    PICTURES    titles and files beside the page
    HAS_MIDDLE  whether there is a MIDDLE version
    lacking     a function: a sentence about data that was not found and is replaced by other data, or ""

A table says, for each printed row, which jobs would measure it; what cannot be run yet is not measured, and says why. The
printed numbers are in the folder `data` of the paper. A figure is drawn from measured rows only, beside what the document
prints.
"""
