"""Seven and a Half with an open dealer's card: both games of US 5,632,489."""

ID = "seven-and-a-half-open-card"
