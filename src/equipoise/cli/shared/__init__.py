"""What commands share: options and the reading behind them."""
