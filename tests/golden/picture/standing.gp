# gnuplot 5: uncomment a terminal, then: gnuplot FILE
# set terminal svg size 720,420 noenhanced; set output 'standing.svg'
# set terminal pdfcairo noenhanced; set output 'standing.pdf'
# set terminal dumb 78 24 noenhanced
set encoding utf8
set datafile missing '?'
set title 'standing' noenhanced
set key below noenhanced
set grid
set style fill solid 0.7
set xlabel ''
set xrange [-0.5:7.5]
set xtics rotate by -40 ('a rather long name of a target 1' 0, 'ost2' 1, 'ost3' 2, 'ost4' 3, 'ost5' 4, 'ost6' 5, 'ost7' 6, 'ost8' 7)
set ylabel 'rate'
set format y '%.1s %cops/s'
set yrange [0:*]
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
     $layer1 using 1:(($3+$4)/2):3:4 with yerrorbars pointtype 0 title 'least to greatest'
