"""The laws of replaceable parts as functions, and instances to try them on; for those who write their own."""
