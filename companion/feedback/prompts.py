# SPDX-License-Identifier: Apache-2.0
"""Sentences about a view, shared by page, terminal and voice.

Rule: a sentence states what players should know or do now, and depends on the view alone.
"""

from __future__ import annotations

from companion.feedback.lesson_words import lesson_sentence
from companion.feedback.template import Noun
from companion.feedback.words import Words
from companion.model.absent import PlayedBy
from companion.model.game import Announcement
from companion.model.lots import lot
from companion.model.pieces import STANDING, Piece, Side
from companion.referee.values.questions import Aspect, Choice, Question
from companion.referee.values.view import DecidedView, Guide, MoveView, Phase, TableView


def prompt(view: TableView, words: Words) -> str:
    """The most important sentence: result, fault, instruction, or side to move."""
    if taught := lesson_sentence(view, words):
        return taught
    said = words.common.prompts
    asked = "" if view.question is None else f" {_asked(view.question, view, words)}"
    if view.outcome is not None:
        return f"{words.outcome(view.outcome)}{asked}"
    if view.fault is not None:
        return f"{words.sentence(view.fault.violation)}{asked}"  # an answer may show that the move was legal
    if view.decided is not None:
        return decided_sentence(view.decided, view, words)
    if lifted := _lifted(view, words):
        return lifted
    if view.question is not None:
        return question_sentence(view.question, view, words)
    paused = said.held if view.is_held else said.paused
    plain = {
        Phase.SETTING_UP: said.set_up_again if view.record else said.set_up,
        Phase.ILLEGAL: said.illegal,
        Phase.PAUSED: said.adjourned if view.is_adjourned else paused,
    }
    turn = said.turn if view.decider is None else _deciding(view.played_by[view.decider], words)
    return words.fill(plain.get(view.phase, turn), side=words.side(view.turn))


def _lifted(view: TableView, words: Words) -> str:
    """The piece in the hand, with the reason if it cannot move; "" without one.

    In place of it the rest of a move of several pieces that is under way.
    """
    if view.joint is not None:
        todo = (guide_sentence(guide, view, words, names_owner=False) for guide in view.joint.guides)
        return words.fill(
            words.common.prompts.joint, move=words.noun(view.joint.name), sentence=" ".join(todo)
        )
    piece = view.placement.at(view.lifted[-1]) if view.phase is Phase.HANDLING and view.lifted else None
    if piece is None:
        return ""
    said, cell = words.common.prompts, view.grid.name(first_cell(view, view.lifted[-1]))
    if view.immobile is None:
        return words.fill(said.lifted, piece=words.piece(piece), cell=cell)
    stuck = words.fill(said.immobile, piece=words.piece(piece), cell=cell)
    return f"{stuck} {words.sentence(view.immobile)}"


def _deciding(by: PlayedBy, words: Words) -> str:
    """The template that says who is deciding a move."""
    said = words.common.prompts
    return said.computer_decides if by is PlayedBy.COMPUTER else said.elsewhere_decides


def played_sentence(decided: DecidedView, words: Words) -> str:
    """The move that was decided elsewhere."""
    said = words.common.prompts
    template = said.computer_plays if decided.by is PlayedBy.COMPUTER else said.elsewhere_plays
    return words.fill(template, side=words.side(decided.side), move=decided.move)


def decided_sentence(decided: DecidedView, view: TableView, words: Words) -> str:
    """What hands have to do next for the decided move, or to put right."""
    said = words.common.prompts
    if decided.needs_press:
        return words.fill(said.press_when_done, move=decided.move)
    if not view.errands:
        return played_sentence(decided, words)
    sentence = guide_sentence(view.errands[0], view, words)
    if decided.is_amiss:
        return words.fill(said.amiss, move=decided.move, sentence=sentence)
    template = said.for_computer if decided.by is PlayedBy.COMPUTER else said.for_elsewhere
    return words.fill(template, side=words.side(decided.side), sentence=sentence)


def drawn_to_begin(view: TableView) -> Side | None:
    """The side that was drawn to begin, until the first move; None without a draw."""
    if view.record or view.outcome is not None:
        return None
    drawn = next((side for _, value in view.options if (side := lot(value)) is not None), None)
    return drawn if drawn == view.turn else None  # the game may begin with a position of its own


def question_sentence(question: Question, view: TableView, words: Words) -> str:
    """The question, with instructions for answering on the board where possible."""
    sentence = _asked(question, view, words)
    is_touched = any(choice.touch is not None for choice in question.choices)
    return f"{sentence} {words.common.prompts.choose}" if is_touched else sentence


def _asked(question: Question, view: TableView, words: Words) -> str:
    """The question."""
    asked = words.common.questions[question.aspect].sentence
    return words.fill(asked, cells=words.comma(view.grid.name(cell) for cell in question.cells))


def shown_order(question: Question, words: Words) -> list[int]:
    """The numbers of the choices in the order in which they are shown.

    Kinds are shown from the last to the first of the words, so the queen is the first.
    """
    kinds = [choice.piece.kind if choice.piece else "" for choice in question.choices]
    numbers = list(range(len(kinds)))
    if question.aspect is Aspect.KIND:
        known = list(words.game.kinds)
        numbers.sort(key=lambda number: -known.index(kinds[number]) if kinds[number] in known else 0)
    return numbers


def choice_label(choice: Choice, aspect: Aspect, view: TableView, words: Words) -> Noun:
    """The name of a choice, long and short."""
    cells = words.comma(view.grid.name(cell) for cell in choice.cells)
    piece = choice.piece and words.piece(choice.piece)
    match aspect, choice.piece, piece:
        case Aspect.KIND | Aspect.PICKED | Aspect.MOVE, _, Noun():
            return piece
        case Aspect.PIECE, _, Noun():
            return Noun(f"{piece.name} {cells}", short=cells)
        case Aspect.STANDS, Piece(side=side), Noun():
            name = f"{piece.name} {cells}".rstrip()
            return Noun(name if side is None else f"{name} ({words.side(side).name})", short=name)
        case Aspect.NEW_GAME, _, _:
            return Noun(words.common.labels["yes" if choice.is_yes else "no"])
        case Aspect.FACING, Piece(facing=int(facing)), _:
            return _direction(facing, view, words)
        case Aspect.POSE, Piece(pose=pose), _:
            return words.pose(pose)
        case Aspect.MOVE, _, _:
            return _made(choice, view, words)
    return Noun(cells or words.common.labels["none"])


def guide_sentence(guide: Guide, view: TableView, words: Words, *, names_owner: bool = True) -> str:
    """The instruction for *guide*: put, carry, turn or remove a piece.

    The owner is named where both sides have such a piece, unless it is known.
    """
    said = words.common.guides
    owned = names_owner and is_shared(guide.piece, view)
    if guide.is_turn:
        template = said.turn
    elif guide.source is None:
        template = said.put_owned if owned else said.put
    elif guide.target is None:
        template = said.take_off_owned if owned else said.take_off
    else:
        template = said.carry_owned if owned else said.carry
    names = {
        name: view.grid.name(cell)
        for name, cell in (("source", guide.source), ("target", guide.target))
        if cell is not None
    }
    sentence = words.fill(template, piece=words.piece(guide.piece), **names)
    if guide.piece.facing is None or guide.target is None:
        return sentence
    return f"{sentence} {words.fill(said.faces, direction=_direction(guide.piece.facing, view, words))}"


def _made(choice: Choice, view: TableView, words: Words) -> Noun:
    """What the hands do by *choice* only; short, its notation."""
    written, step = words.comma(choice.moves), choice.step
    if step is None:
        return Noun(written)
    source, target = (cells[0] if cells else None for cells in (step.source, step.target))
    return Noun(guide_sentence(Guide(step.becomes, source, target), view, words), short=written)


def announcement_sentence(announcement: Announcement, view: TableView, words: Words) -> str:
    """The side that could win next turn, its pieces and their targets."""
    return words.fill(
        words.announcement(announcement.cry),
        side=words.side(announcement.side),
        causes=words.listed([view.grid.name(cell) for cell in announcement.causes]),
        targets=words.listed([view.grid.name(cell) for cell in announcement.targets]),
    )


def _direction(facing: int, view: TableView, words: Words) -> Noun:
    """The name of the direction of *facing*, in steps of the grid."""
    eighths = facing * 8 // len(view.grid.steps)
    return Noun(words.common.directions[eighths], short=words.common.compass[eighths])


def is_shared(piece: Piece, view: TableView) -> bool:
    """True if pieces of this kind belong to several sides here."""
    others = [other for other, _ in view.placement.entries] + [guide.piece for guide in view.guides]
    return piece.side is not None and any(
        other.kind == piece.kind and other.side != piece.side for other in others
    )


def first_cell(view: TableView, cell: int) -> int:
    """The first cell of the piece that covers *cell*."""
    entry = view.placement.entry_at(cell)
    return entry[1][0] if entry else cell


def written(move: MoveView, words: Words) -> str:
    """*move* as a line of the record.

    Its notation, with the name of a piece from beside the board, and whether an arbiter let a
    position stand instead of it or after it.
    """
    text, piece = move.move, move.brought
    if piece is not None:
        named = words.piece(piece) if piece.pose == STANDING else words.pose(piece.pose)
        text = f"{named.name} {text.partition('@')[2]}".rstrip()
    stood = words.common.labels["stood"] if move.is_amended or not move.move else ""
    return ", ".join(part for part in (text, stood) if part)
