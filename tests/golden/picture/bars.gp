# gnuplot 5: uncomment a terminal, then: gnuplot FILE
# set terminal svg size 720,420 noenhanced; set output 'bars.svg'
# set terminal pdfcairo noenhanced; set output 'bars.pdf'
# set terminal dumb 78 24 noenhanced
set encoding utf8
set datafile missing '?'
set title 'bars' noenhanced
set key below noenhanced
set grid
set style fill solid 0.7
set xlabel 'rate, GB/s'
set xtics ('0' 0, '1' 1e+09, '2' 2e+09, '3' 3e+09, '4' 4e+09)
set xrange [0:4.08e+09]
set ylabel 'target'
set ytics ('a rather long name of a ..' 0, 'ost2' 1, 'ost3' 2, 'ost4' 3, 'ost5' 4, 'ost6' 5, 'ost7' 6, 'ost8' 7)
set yrange [7.5:-0.5]
set rmargin 11
set label '2.1 GB/s' at graph 1, first -0.19 left offset 0.7,0.2 noenhanced
set label 'slow' at graph 1, first 0.81 left offset 0.7,0.2 noenhanced
set label '1' at graph 1, first 2.81 left offset 0.7,0.2 noenhanced
set label '2' at graph 1, first 3.81 left offset 0.7,0.2 noenhanced
set label '3' at graph 1, first 4.81 left offset 0.7,0.2 noenhanced
set label '4' at graph 1, first 5.81 left offset 0.7,0.2 noenhanced
set label '5' at graph 1, first 6.81 left offset 0.7,0.2 noenhanced
$layer0 << EOD
 3e+09 0 ? ?
 3.60979592e+09 1 ? ?
 3.94690476e+09 2 ? ?
 3.86688843e+09 3 ? ?
 3.42148934e+09 4 ? ?
 2.8342951e+09 5 ? ?
 2.3955818e+09 6 ? ?
 2.11579265e+09 7 ? ?
EOD
$odd0 << EOD
 3.42148934e+09 4 ? ?
EOD
$layer1 << EOD
 2.4e+09 0 ? ?
 2.88783673e+09 1 ? ?
 3.15752381e+09 2 ? ?
 3.09351074e+09 3 ? ?
 2.73719147e+09 4 ? ?
 2.26743608e+09 5 ? ?
 1.91646544e+09 6 ? ?
 1.69263412e+09 7 ? ?
EOD
set arrow from first 3e+09, graph 0 to first 3e+09, graph 1 nohead dashtype 2
plot $layer0 using 1:2:(0):1:($2-0.38):($2+0.00) with boxxyerror title 'write', \
     $odd0 using 1:2:(0):1:($2-0.38):($2+0.00) with boxxyerror fillstyle pattern 2 linecolor rgb '#b3261e' notitle, \
     $layer1 using 1:2:(0):1:($2+0.00):($2+0.38) with boxxyerror title 'read'
