# what the user guide calls the defaults of words that are refused: nothing is asked of them
-O useSharedFilePointer=0,individualDataSets=0,setAlignment=1,noFill=0,collectiveMetadata=0,numTasks=0,gpuDirect=0,corruptFile=0
