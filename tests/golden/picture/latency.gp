# gnuplot 5: uncomment a terminal, then: gnuplot FILE
# set terminal svg size 720,420 noenhanced; set output 'latency.svg'
# set terminal pdfcairo noenhanced; set output 'latency.pdf'
# set terminal dumb 78 24 noenhanced
set encoding utf8
set datafile missing '?'
set title 'latency' noenhanced
set key below noenhanced
set grid
set style fill solid 0.7
set xlabel 'part of operations'
set xtics rotate by -40 ('50 %%' 0, '75 %%' 1, '90 %%' 2, '95 %%' 3, '99 %%' 4, '99.9 %%' 5, '99.99 %%' 6, 'greatest' 7)
set xrange [-0.5:7.5]
set ylabel 'latency'
set ytics ('100 us' 0.0001, '10 ms' 0.01, '1 s' 1)
set logscale y 10
set yrange [1.51715515e-06:2.63651348]
$layer0 << EOD
 0 4e-06 ? ?
 1 2.4e-05 ? ?
 2 0.000144 ? ?
 3 0.000864 ? ?
 4 0.005184 ? ?
 5 0.031104 ? ?
 6 0.186624 ? ?
 7 1.119744 ? ?
EOD
$layer1 << EOD
 0 3e-06 ? ?
 1 1.5e-05 ? ?
 2 7.5e-05 ? ?
 3 0.000375 ? ?
 4 0.001875 ? ?
 5 0.009375 ? ?
 6 0.046875 ? ?
 7 0.234375 ? ?
EOD
plot $layer0 using 1:2 with lines title 'repetition 1' dashtype 1, \
     $layer1 using 1:2 with lines title 'repetition 2' dashtype 2
