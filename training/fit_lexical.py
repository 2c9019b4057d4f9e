"""Write the term weights and the parameters of the lexical judge from the development set alone.

Usage: ``python training/fit_lexical.py [DATA]`` where DATA holds ``labelled/``.
"""
import json,math,sys
from collections import Counter
from pathlib import Path
from citemeter.judges import lexical_words as lw
import re
W=re.compile(lw.WORD)
def write_weights(rows,out):
    docs=list(dict.fromkeys(r['evidence'] for r in rows)); df=Counter(); n=0
    for d in docs:
        ws=[t for t in map(lw.term_of,W.findall(d)) if t]
        for i in range(0,len(ws),100): n+=1; df.update(set(ws[i:i+100]))
    scale=math.log(n/2)
    with open(out,'w') as f:
        f.write(f'# term  weight = ln({n} / d) / ln({n} / 2), d = how many of the {n} background passages have it\n')
        for t,d in sorted(df.items()):
            if d>=3 and t.isalpha(): f.write(f'{t} {math.log(n/d)/scale:.2f}\n')
if __name__=='__main__':
    rows=[json.loads(l) for l in open('/work/shared/data/labelled/attributionbench_dev.jsonl')]
    write_weights(rows,'src/citemeter/data/term_weights.txt')
