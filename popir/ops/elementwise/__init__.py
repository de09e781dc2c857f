"""Element-wise operators: the rows of a table, and those that need a class of their own."""
