# gnuplot 5: uncomment a terminal, then: gnuplot FILE
# set terminal svg size 720,420 noenhanced; set output 'sweep.svg'
# set terminal pdfcairo noenhanced; set output 'sweep.pdf'
# set terminal dumb 78 24 noenhanced
set encoding utf8
set datafile missing '?'
set title 'sweep' noenhanced
set key below noenhanced
set grid
set style fill solid 0.7
set xlabel 'ranks'
set xtics ('1' 1, '4' 4, '16' 16, '64' 64, '256' 256, '1024' 1024)
set logscale x 2
set xrange [0.870550563:1176.26712]
set ylabel 'rate, GB/s'
set ytics ('0' 0, '1' 1e+09, '2' 2e+09, '3' 3e+09, '4' 4e+09, '5' 5e+09)
set yrange [0:5.1e+09]
$layer0 << EOD
 1 65573770.5 ? ?
 2 131147541 ? ?
 4 262295082 ? ?
 8 524590164 ? ?
 16 1.04918033e+09 ? ?
 32 2.09836066e+09 ? ?
 64 4.19672131e+09 ? ?
 128 4.5e+09 ? ?
 256 4.5e+09 ? ?
 512 4.5e+09 ? ?
 1024 4.5e+09 ? ?
EOD
$layer1 << EOD
 1 ? 59016393.4 72131147.5
 2 ? 116129032 141935484
 4 ? 225000000 275000000
 8 ? 423529412 517647059
 16 ? 757894737 926315789
 32 ? 1.25217391e+09 1.53043478e+09
 64 ? 1.85806452e+09 2.27096774e+09
 128 ? 2.45106383e+09 2.99574468e+09
 256 ? 2.9164557e+09 3.56455696e+09
 512 ? 3.22237762e+09 3.93846154e+09
 1024 ? 3.40073801e+09 4.15645756e+09
EOD
set label 'knee: 88 % of the limit' at first 128, first 2.72340426e+09 left offset 0.7,0.2 noenhanced
$layer2 << EOD
 1 65573770.5 ? ?
 2 129032258 ? ?
 4 250000000 ? ?
 8 470588235 ? ?
 16 842105263 ? ?
 32 1.39130435e+09 ? ?
 64 2.06451613e+09 ? ?
 128 2.72340426e+09 ? ?
 256 3.24050633e+09 ? ?
 512 3.58041958e+09 ? ?
 1024 3.77859779e+09 ? ?
EOD
set arrow from graph 0, first 4.5e+09 to graph 1, first 4.5e+09 nohead dashtype 2
set label 'limit 4.5 GB/s' at graph 1, first 4.5e+09 right offset 0,0.6 noenhanced
plot $layer0 using 1:2 with lines title 'ideal' dashtype 4, \
     $layer1 using 1:(($3+$4)/2):3:4 with yerrorbars pointtype 0 notitle, \
     $layer2 using 1:2 with points title 'write'
