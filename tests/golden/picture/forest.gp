# gnuplot 5: uncomment a terminal, then: gnuplot FILE
# set terminal svg size 720,420 noenhanced; set output 'forest.svg'
# set terminal pdfcairo noenhanced; set output 'forest.pdf'
# set terminal dumb 78 24 noenhanced
set encoding utf8
set datafile missing '?'
set title 'forest' noenhanced
set key below noenhanced
set grid
set style fill solid 0.7
set xlabel 'change, %'
set xtics ('-5' -0.05, '0' 0, '5' 0.05, '10' 0.1)
set xrange [-0.053:0.103]
set ylabel ''
set ytics ('write' 0, 'read' 1, '"><script>alert(1)</scri..' 2, 'remove' 3)
set yrange [3.5:-0.5]
$layer0 << EOD
 ? 0 -0.04 0
 ? 1 -0.01 0.03
 ? 2 0.02 0.06
 ? 3 0.05 0.09
EOD
$layer1 << EOD
 -0.02 0 ? ?
 0.01 1 ? ?
 0.04 2 ? ?
 0.07 3 ? ?
EOD
$odd1 << EOD
 0.07 3 ? ?
EOD
set arrow from first 0, graph 0 to first 0, graph 1 nohead dashtype 2
plot $layer0 using (($3+$4)/2):2:3:4 with xerrorbars pointtype 0 title '95 % range', \
     $layer1 using 1:2 with points title 'change of the median', \
     $odd1 using 1:2 with points pointtype 2 linecolor rgb '#b3261e' notitle
