# gnuplot 5: uncomment a terminal, then: gnuplot FILE
# set terminal svg size 720,420 noenhanced; set output 'spans.svg'
# set terminal pdfcairo noenhanced; set output 'spans.pdf'
# set terminal dumb 78 24 noenhanced
set encoding utf8
set datafile missing '?'
set title 'spans' noenhanced
set key below noenhanced
set grid
set style fill solid 0.7
set xlabel 'time, s'
set xtics ('0' 0, '10' 10, '20' 20, '30' 30, '40' 40)
set xrange [0:40.8]
set ylabel 'label'
set ytics ('a rather long name of a ..' 0, 'ost2' 1, 'ost3' 2, 'ost4' 3, 'ost5' 4, 'ost6' 5, 'ost7' 6, 'ost8' 7)
set yrange [7.5:-0.5]
$layer0 << EOD
 ? 0 16 23
 ? 1 19.2522449 27.675102
 ? 2 21.0501587 30.2596031
 ? 3 20.623405 29.6461446
 ? 4 18.2479431 26.2314182
 ? 5 15.1162405 21.7295957
 ? 6 12.7764363 18.3661272
 ? 7 11.2842275 16.221077
EOD
$odd0 << EOD
 ? 4 18.2479431 26.2314182
EOD
plot $layer0 using 3:2:3:4:($2-0.35):($2+0.35) with boxxyerror notitle, \
     $odd0 using 3:2:3:4:($2-0.35):($2+0.35) with boxxyerror fillstyle pattern 2 linecolor rgb '#b3261e' notitle
