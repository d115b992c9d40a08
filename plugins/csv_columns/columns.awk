# Prints a line for each column of a CSV file: name, number of values, range.
BEGIN { FS = "," }
{ sub(/\r$/, "") }
NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; columns = NF; next }
{
  for (i = 1; i <= columns; i++) {
    if ($i == "") continue
    count[i]++
    if ($i !~ /^-?[0-9]+(\.[0-9]+)?$/) text[i] = 1
    else if (count[i] == 1 || $i + 0 < least[i]) least[i] = $i + 0
    if (count[i] == 1 || $i + 0 > largest[i]) largest[i] = $i + 0
  }
}
END {
  if (NR == 0) { print "the file is empty" > "/dev/stderr"; exit 1 }
  for (i = 1; i <= columns; i++) {
    range = count[i] && !text[i] ? ", " least[i] " to " largest[i] : ""
    print name[i] ": " count[i] + 0 " values" range
  }
}
