"""The Chinese families of the sanitizer, written for normalised text.

The same families and severities as in English. Normalised text has simplified
characters, half-width punctuation, and no spaces between two characters.
"""

from typing import Final

from memory_native.safety.decision import Severity
from memory_native.safety.rules import rule


_C, _H, _M = Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM

_EDGE: Final = "(?<![\u3400-\u9fffa-z0-9_])"
_LABEL: Final = r"[\s*_`\"'\])>】]*+:"
_GAP: Final = r"[\s*_~\"'`、,]*+"


def _one(words: str) -> str:
    return f"(?:{words.replace(' ', '|')})"


_VERBS: Final = (
    "忽略 忽视 无视 忘记 忘掉 忘了 抛开 抛弃 丢掉 丢弃 清除 不要理会 不用理会 不必理会 不理会 别理会"
    " 不要管 不用管 不必管 别管 不再遵守 不再遵循 不要遵守 不要遵循 停止遵守 停止遵循 停止执行"
    " 推翻 覆盖 绕过 跳过"
)
_VERB_ANCHORS: Final = _VERBS.replace(" ", ";")
_IGNORE: Final = f"{_one(_VERBS)}(?:掉|了)?"
_ALL: Final = _one("所有 全部 一切 任何 整个")
_EARLIER: Final = _one(
    "之前 以前 先前 此前 前面 以上 上面 上述 上文 前述 早先 原先 原来 原有 既有 现有 已有 初始"
)
_FILL: Final = (
    r"(?:掉|了|你|您|的|那些|这些|给|在|我|说|过|收到|得到|被|系统|开发者|安全|[\s*_~\"'`、,])"
)
_ORDERS: Final = (
    r"(?:指令|指示|提示|命令|规则|准则|守则|设定|设置|约束|限制|要求|说明|对话|上下文|内容|消息|信息"
    r"|引导|prompt|instructions?)"
)
_OWN_ORDERS: Final = (
    r"(?:指令|指示|提示词|系统提示|准则|守则|安全规则|设定|约束|限制|prompt|instructions?)"
)

_OVERRIDE: Final = (
    rule(
        "override",
        _C,
        _VERB_ANCHORS,
        f"{_IGNORE}{_FILL}{{0,6}}(?:{_ALL}{_FILL}{{0,4}}{_EARLIER}|{_EARLIER}{_FILL}{{0,6}}{_ALL})"
        f"{_FILL}{{0,6}}{_ORDERS}",
    ),
    rule(
        "override",
        _H,
        _VERB_ANCHORS,
        f"{_IGNORE}{_FILL}{{0,6}}{_EARLIER}{_FILL}{{0,8}}{_ORDERS}",
    ),
    rule(
        "override",
        _H,
        _VERB_ANCHORS,
        f"{_IGNORE}[你您][的所]?{_FILL}{{0,4}}(?:{_ALL}的?)?{_FILL}{{0,3}}{_OWN_ORDERS}",
    ),
    rule(
        "override",
        _H,
        _VERB_ANCHORS,
        f"{_IGNORE}{_ALL}的?(?:系统|安全|开发者|内置)?{_OWN_ORDERS}",
    ),
    rule("override", _H, "忘记;忘掉", "忘[记掉](?:一切|所有事|所有内容|全部内容|你所知道的)"),
    rule("override", _M, "无视;不要理会;不必理会", "(?:无视|不[要必]理会)"),
)

_FROM_NOW: Final = f"(?:(?:从|自)(?:现在|此刻)(?:起|开始)?|现在开始|从今以后){_GAP}[你您]就?"
_NOW_ANCHORS: Final = "从现在;从此刻;自现在;自此刻;现在开始;从今以后"

_IDENTITY: Final = (
    rule("identity", _H, "你现在是;您现在是", "[你您]现在是(?!不是|否|在|用|想|住|几)"),
    rule("identity", _H, _NOW_ANCHORS, f"{_FROM_NOW}(?:是|将是|将扮演|要扮演|将成为|必须扮演)"),
    rule("identity", _M, _NOW_ANCHORS, f"{_FROM_NOW}(?:必须|只能|将|要|不得|不再|应)"),
    rule("identity", _M, "扮演", "(?<=[你您请要来])扮演|扮演一[个名位](?:没有|不受|无)"),
    rule("identity", _M, "假装;装作", "(?:假装|装作)(?:成|自己是|[你您](?:是|没有|不是))"),
    rule(
        "identity",
        _M,
        "开发者模式;越狱模式;无限制模式",
        "(?:开发者|越狱|无限制)模式(?:已|下|中|[,。]?[你您])",
    ),
    rule("identity", _M, "不受", "不受(?:任何)?(?:限制|约束)的(?:ai|人工智能|助手|模型)"),
)

_NEW_ORDERS: Final = (
    rule(
        "orders",
        _H,
        "新的指;新指;新的系统;新系统;新的提示;新提示;更新后的;更新的指",
        "(?:更?新后?的?)(?:系统)?(?:指令|指示|提示词?)(?=[:,。!\\s]|如下|是|来自)",
    ),
)

_SPEAKER: Final = (
    rule("role", _C, "系统", f"{_EDGE}系统(?:提示词?|消息|指令|信息|通知)?{_LABEL}"),
    rule("role", _H, "助手;助理", f"{_EDGE}(?:助手|助理){_LABEL}"),
    rule("role", _H, "用户", f"{_EDGE}用户{_LABEL}"),
    rule("role", _H, "```系统", "```系统"),
)

_BEYOND: Final = (
    rule(
        "leak",
        _M,
        "泄露;透露;输出;打印;显示;告诉我;复述;重复;发给我;展示",
        f"{_one('泄露 透露 输出 打印 显示 告诉我 复述 重复 发给我 展示')}[^\\n。]{{0,8}}"
        f"{_one('系统提示 系统指令 初始指令 隐藏指令 隐藏的指令 初始提示')}",
    ),
    rule(
        "leak",
        _M,
        "密码;密钥;口令;凭证;令牌;聊天记录;对话记录;私钥",
        f"{_one('密码 密钥 口令 凭证 令牌 聊天记录 对话记录 私钥')}[^\\n。]{{0,12}}(?:发|转发|上传)"
        r"[^\n。]{0,8}(?:https?://|[a-z0-9.+-]{1,40}@)",
    ),
    rule(
        "hide",
        _M,
        "告诉用户;告诉使用者;让用户;向用户;瞒着;告知用户;通知用户",
        r"(?<=[要得能别])告诉(?:用户|使用者)|(?<=要)让用户(?:知道|发现)|(?<=[要得])向用户(?:提及|透露|说明)"
        r"|瞒着(?:用户|使用者)|(?<=[需要])(?:告知|通知)用户",
    ),
)

CHINESE: Final = (*_OVERRIDE, *_IDENTITY, *_NEW_ORDERS, *_SPEAKER, *_BEYOND)
