# the signature stands in the data
--data ior -R
