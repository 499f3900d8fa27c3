"""Parts that `cbs` and `eecbs` share."""
