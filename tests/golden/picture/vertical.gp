# gnuplot 5: uncomment a terminal, then: gnuplot FILE
# set terminal svg size 720,420 noenhanced; set output 'vertical.svg'
# set terminal pdfcairo noenhanced; set output 'vertical.pdf'
# set terminal dumb 78 24 noenhanced
set encoding utf8
set datafile missing '?'
set title 'vertical' noenhanced
set key below noenhanced
set grid
set style fill solid 0.7
set xlabel ''
set xtics rotate by -40 ('a rather long name of a ..' 0, 'ost2' 1, 'ost3' 2, 'ost4' 3, 'ost5' 4, 'ost6' 5, 'ost7' 6, 'ost8' 7)
set xrange [-0.5:7.5]
set ylabel 'rate, kops/s'
set ytics ('0' 0, '100' 100000, '200' 200000, '300' 300000, '400' 400000, '500' 500000)
set yrange [0:510000]
$layer0 << EOD
 0 300000 ? ?
 1 360979.592 ? ?
 2 394690.476 ? ?
 3 386688.843 ? ?
 4 342148.934 ? ?
 5 283429.51 ? ?
 6 239558.18 ? ?
 7 211579.265 ? ?
EOD
$odd0 << EOD
 4 342148.934 ? ?
EOD
$layer1 << EOD
 0 ? 240000 345000
 1 ? 288783.673 415126.531
 2 ? 315752.381 453894.047
 3 ? 309351.074 444692.169
 4 ? 273719.147 393471.274
 5 ? 226743.608 325943.936
 6 ? 191646.544 275491.908
 7 ? 169263.412 243316.155
EOD
plot $layer0 using 1:2:($1-0.38):($1+0.38):(0):2 with boxxyerror notitle, \
     $odd0 using 1:2:($1-0.38):($1+0.38):(0):2 with boxxyerror fillstyle pattern 2 linecolor rgb '#b3261e' notitle, \
     $layer1 using 1:(($3+$4)/2):3:4 with yerrorbars pointtype 0 title 'least to greatest'
