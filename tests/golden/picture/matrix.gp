# gnuplot 5: uncomment a terminal, then: gnuplot FILE
# set terminal svg size 720,420 noenhanced; set output 'matrix.svg'
# set terminal pdfcairo noenhanced; set output 'matrix.pdf'
# set terminal dumb 78 24 noenhanced
set encoding utf8
set datafile missing '?'
set title 'matrix' noenhanced
set key below noenhanced
set grid
set style fill solid 0.7
set xlabel 'record'
set xtics rotate by -40 ('write' 0, 'read' 1, '"><script>alert(1)</scri..' 2, 'remove' 3)
set xrange [-0.5:3.5]
set ylabel 'file size'
set ytics ('a rather long name of a ..' 0, 'ost2' 1, 'ost3' 2, 'ost4' 3, 'ost5' 4, 'ost6' 5, 'ost7' 6, 'ost8' 7)
set yrange [7.5:-0.5]
$cells << EOD
 0 0 1.1e+09
 1 0 1.32359184e+09
 2 0 1.44719841e+09
 3 0 1.41785909e+09
 0 1 1.25454609e+09
 1 1 1.03924153e+09
 2 1 878379995
 3 1 775790638
 0 2 902682010
 1 2 1.12754859e+09
 2 2 1.34980558e+09
 3 2 1.47009552e+09
 0 3 1.43701764e+09
 1 3 1.27130246e+09
 2 3 979061887
 3 3 820700399
 0 4 798871349
 1 4 929014753
 2 4 1.15509561e+09
 3 4 1.37595802e+09
 0 5 1.49290043e+09
 1 5 1.37909645e+09
 2 5 1.21102906e+09
 3 5 995916432
 0 6 840102879
 1 6 822043418
 2 6 955405169
 3 6 1.18263949e+09
 0 7 1.32504799e+09
 1 7 1.43861291e+09
 2 7 1.39809636e+09
 3 7 1.22772737e+09
EOD
set format cb '%.1s %cB/s'
set palette defined (0 '#eef4fb', 1 '#0b3766')
plot $cells using 1:2:3 with image pixels notitle
