"""Names and identifiers in Chinese, Japanese and Korean: by their words alone, and with meaning beside.

Each name stands in one memory. The others hold its neighbours: names that share its beginning or its end, and its
halves in two places.
"""

import pytest

from tests.cast import Caller

CHINESE = (
    "朝阳区办公室", "东湖高新区", "青岛啤酒节", "数据迁移计划", "华北电网", "雷霆项目", "海棠湾酒店", "西门子变频器",
    "王小明", "订单编号A731", "南山科技园", "夜班巡检表", "紫荆花咖啡馆", "三号冷却塔", "长江隧道", "防火墙策略",
    "林晓燕", "季度预算会", "蓝鲸服务器", "龙井茶礼盒", "备用发电机", "北斗定位器", "合同草案", "红杉机房",
)  # fmt: skip
JAPANESE = (
    "しりとり大会", "東京タワー", "会議室ヒノキ", "在庫管理表", "桜丘支店", "給与明細", "山田太郎", "冷却ファン",
    "顧客番号K204", "富士見台駅", "夜間バッチ処理", "抹茶ケーキ", "契約更新日", "海老名倉庫", "バックアップ計画",
    "鈴木一郎", "監視カメラ", "予備電源装置", "議事録テンプレート", "みずほ銀行", "紅葉まつり", "光ファイバー",
    "検収書類", "人事評価シート",
)  # fmt: skip
KOREAN = (
    "김철수", "서울지하철", "회의록양식", "데이터이전", "한강공원", "예산안검토", "박영희", "냉각장치", "주문번호B512",
    "부산항만", "야간점검표", "녹차케이크", "계약갱신일", "강남지점", "백업서버", "이순신", "감시카메라", "비상발전기",
    "제주감귤", "인사평가표", "단풍축제", "광케이블", "검수서류", "우리은행",
)  # fmt: skip
SENTENCES = {
    "zh": ("我们昨天确认了{}的安排。", "{}由另一个小组负责。", "关于{}和{}的记录已归档。", "请周五之前检查{}。"),
    "ja": ("昨日{}の予定を確認した。", "{}は別の班の担当だ。", "{}と{}の記録を保管した。", "金曜までに{}を確認する。"),
    "ko": (
        "어제 {}의 일정을 확인했다.",
        "{}는 다른 조가 맡는다.",
        "{}와 {}의 기록을 보관했다.",
        "금요일까지 {}를 확인하세요.",
    ),
}
NAMES = {"zh": CHINESE, "ja": JAPANESE, "ko": KOREAN}
TOLD = 0.95


def _beside(name: str, other: str) -> tuple[str, str, str, str]:
    """Names that share half of this one, and the halves of both in each other's place."""
    half = len(name) // 2
    return name[:half] + other[len(other) // 2 :], other[: len(other) // 2] + name[half:], name[:half], name[half:]


def _memories(language: str) -> tuple[dict[str, str], list[str]]:
    """Name → the text that holds it; and the texts that do not."""
    names, (said, elsewhere, both, check) = NAMES[language], SENTENCES[language]
    told = {name: said.format(name) for name in names}
    others = []
    for name, other in zip(names, names[1:] + names[:1], strict=True):
        first, second, head, tail = _beside(name, other)
        others += [elsewhere.format(first), check.format(second), both.format(tail, head)]
    return told, [text for text in dict.fromkeys(others) if not any(name in text for name in names)]


@pytest.mark.parametrize("mode", ["keyword", "hybrid", "exact"])
def test_names_in_scripts_without_spaces_come_first(alice: Caller, mode: str) -> None:
    wanted: dict[str, str] = {}
    stored: list[str] = []
    for language in NAMES:
        told, others = _memories(language)
        wanted |= told
        stored += [*told.values(), *others]
    assert len(wanted) >= 60 and len(stored) >= 280
    for start in range(0, len(stored), 64):
        alice.remember(*stored[start : start + 64])
    missed = [name for name, text in wanted.items() if alice.found(name, mode=mode, limit=1) != [text]]
    assert len(missed) <= (1 - TOLD) * len(wanted), missed
