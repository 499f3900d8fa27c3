"""RTAA*, LSS-LRTA* and others that search a few cells ahead before they move."""
