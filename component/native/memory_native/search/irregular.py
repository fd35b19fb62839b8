"""Irregular English forms, each with the word it is a form of.

Only inflection: synonyms do not belong here, because a reader who searches for one word and gets
another cannot see why.
"""

_FORMS = """
arise: arose arisen | be: was were been am is are | bear: bore borne | beat: beaten |
become: became | begin: began begun | bend: bent | bind: bound | bite: bit bitten |
bleed: bled | blow: blew blown | break: broke broken | breed: bred | bring: brought |
build: built | burn: burnt | buy: bought | catch: caught | choose: chose chosen |
cling: clung | come: came | creep: crept | deal: dealt | dig: dug | do: did done does |
draw: drew drawn | dream: dreamt | drink: drank drunk | drive: drove driven | eat: ate eaten |
fall: fell fallen | feed: fed | feel: felt | fight: fought | find: found | flee: fled |
fly: flew flown | forbid: forbade forbidden | forget: forgot forgotten |
forgive: forgave forgiven | freeze: froze frozen | get: got gotten | give: gave given |
go: went gone goes | grind: ground | grow: grew grown | hang: hung | have: had has |
hear: heard | hide: hid hidden | hold: held | keep: kept | kneel: knelt | know: knew known |
lay: laid | lead: led | lean: leant | learn: learnt | leave: left | lend: lent | lie: lain |
light: lit | lose: lost | make: made | mean: meant | meet: met | pay: paid | prove: proven |
ride: rode ridden | ring: rang rung | rise: rose risen | run: ran | say: said | see: saw seen |
seek: sought | sell: sold | send: sent | sew: sewn | shake: shook shaken | shine: shone |
shoot: shot | show: shown | shrink: shrank shrunk | sing: sang sung | sink: sank sunk |
sit: sat | sleep: slept | slide: slid | speak: spoke spoken | spell: spelt | spend: spent |
spin: spun | stand: stood | steal: stole stolen | stick: stuck | sting: stung |
strike: struck | swear: swore sworn | sweep: swept | swell: swollen | swim: swam swum |
swing: swung | take: took taken | teach: taught | tear: tore torn | tell: told |
think: thought | throw: threw thrown | understand: understood | wake: woke woken |
wear: wore worn | weave: wove woven | weep: wept | win: won | wind: wound |
withdraw: withdrew withdrawn | write: wrote written |
child: children | foot: feet | goose: geese | half: halves | index: indices | knife: knives |
leaf: leaves | life: lives | loaf: loaves | man: men | matrix: matrices | mouse: mice |
person: people | shelf: shelves | thief: thieves | tooth: teeth | vertex: vertices |
wife: wives | wolf: wolves | woman: women |
alibi: alibis | api: apis | bikini: bikinis | bonsai: bonsais | chili: chilis | cli: clis |
corgi: corgis | cpu: cpus | db: dbs | deli: delis | emoji: emojis | emu: emus | gnu: gnus |
gpu: gpus | gui: guis | guru: gurus | hr: hrs | jacuzzi: jacuzzis | kiwi: kiwis | km: kms |
kpi: kpis | lb: lbs | menu: menus | pc: pcs | pr: prs | rabbi: rabbis | safari: safaris |
salami: salamis | ski: skis | taxi: taxis | tpu: tpus | tsunami: tsunamis | tv: tvs | ui: uis |
uri: uris | vm: vms | wiki: wikis | yeti: yetis | zucchini: zucchinis |
analysis: analyses | crisis: crises | diagnosis: diagnoses | hypothesis: hypotheses |
oasis: oases | parenthesis: parentheses | synopsis: synopses | thesis: theses
"""


def _table(forms: str) -> dict[str, str]:
    """Return form -> word for a text of ``word: form form | word: form``."""
    table: dict[str, str] = {}
    for entry in forms.split("|"):
        word, _, inflected = entry.partition(":")
        table.update(dict.fromkeys(inflected.split(), word.strip()))
    return table


IRREGULAR = _table(_FORMS)
