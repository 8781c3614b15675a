# Their long names.
suffixes.pbl --export --silent --clean --dry-run --agile --wait --root=/x --root /y/ --root /x/.
