"""The same question in wordings that the probe's generator does not use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import pytest

from benchmarks.probe_questions import Question, generate
from memory_evidence.tallymem import Ledger, Trajectory
from memory_evidence.tallymem.execute import execute
from memory_evidence.tallymem.rules import RuleCompiler
from tests.tallymem.episodes import household, software
from tests.tallymem.trajectories import episodes

WORDINGS: dict[str, list[str]] = {
    "E1": [
        "What is the number of times the agent visited a location up to step {bound}?",
        "How frequently did the agent go somewhere through step {bound}?",
        "Count the 'go to' actions up to and including step {bound}.",
        "How many go actions were performed by step {bound}?",
        "By the end of step {bound}, how many times had a location been visited?",
        "In steps 0 to {bound}, how many times did the agent travel to a location?",
        "Between step 0 and step {bound}, how often was the go to action used?",
        "What is the count of go to actions until step {bound} (inclusive)?",
        "Give the total number of go commands issued no later than step {bound}.",
        "From step 0 through step {bound}, how many visits to a location were there?",
        "Until step {bound}, how many times has the agent walked to a place?",
        "Before step {beyond}, how often did the agent go to any location?",
        "Determine how many times the agent navigated to any location, considering only steps 0 through {bound}.",
        "Considering steps up to {bound} inclusive, how many times was a location gone to?",
        "Tally the agent's 'go to' moves through step {bound}.",
        "What's the total of go-to actions by step {bound}?",
        "How many of the first {beyond} actions were 'go to' actions?",
        "Number of 'go' actions in steps 0-{bound}?",
        "I'd like to know how often the agent went to some place, counting steps up to and including {bound}.",
        "Across the first {beyond} steps, what is the frequency of go to actions?",
        "What is the go count as of step {bound}?",
        "Before step {beyond}, a location was visited how many times?",
        "Over the course of steps 0 through {bound}, count occurrences of go to.",
        "By step {bound} (inclusive), the agent had gone to locations how many times?",
        "Within steps [0, {bound}], how many go to actions are logged?",
        "How many trips to locations did the agent make up to step {bound}?",
        "What number of go actions did the agent take until step {bound}?",
        "Could you tell me how many times the agent went to a location up to step {bound}?",
        "According to the log, how often did the agent go to any location until step {bound}?",
        "Please count how many times the agent goes to a location, up to and including step {bound}.",
        "Based on the trajectory, what is the total number of go to actions up to step {bound}?",
        "How many times had the agent gone to a location by the time it reached step {bound}?",
        "How many 'go' steps are there in steps 0 through {bound}?",
        "As of step {bound}, how many location visits had the agent made?",
        "up to step {bound}: number of go actions",
        "In total, how many times does the agent go to a location from the beginning up to step {bound}?",
        "From the start through step {bound}, how many times did the agent go to a location?",
        "Find out how many times the agent visits locations by step {bound}.",
        "What is the frequency with which the agent goes to locations up to step {bound}?",
        "How many go-to actions does the agent take before reaching step {beyond}?",
    ],
    "E3": [
        "What is the number of times {place} was visited up to step {bound}?",
        "How often was {place} visited by the agent through step {bound}?",
        "Until step {bound}, how many visits to {place} did the agent make?",
        "Count how many times the agent went to {place} up to and including step {bound}.",
        "How many times did it go to {place} before step {beyond}?",
        "What is the total count of 'go to {place}' actions up to step {bound}?",
        "How frequently did the agent travel to {place} between step 0 and step {bound}?",
        "The agent visited {place} how many times by the end of step {bound}?",
        "In the first {beyond} steps, how many times was {place} visited?",
        "Tell me the number of occasions on which the agent moved to {place} up to step {bound}.",
        "Up to and including step {bound}, {place} was visited how often?",
        "What is the visit count of {place} through step {bound}?",
        "How many times in total did the agent end up going to {place} by step {bound}?",
        "How many trips did the agent make to {place} until step {bound}?",
        "Tally visits to {place} up to step {bound}.",
        "Determine the frequency of going to {place} up to step {bound}.",
        "For {place}, how many go to actions are there up to step {bound}?",
        "Number of times the agent headed to {place} up to step {bound}?",
        "How many times was the agent's action 'go to {place}' by step {bound}?",
        "On how many steps did the agent go to {place}, up to step {bound}?",
        "How many visits were made to {place} up to step {bound}?",
        "Exactly how many times does the agent go to {place} up to step {bound}?",
        "How frequently was {place} visited until step {bound}?",
        "What's the number of visits to {place} by step {bound}?",
        "Up to step {bound}, how many times in total did the agent go to {place}?",
        "How many separate visits to {place} occurred through step {bound}?",
        "The count of go to {place} actions up to step {bound} is what?",
        "How many times was {place} gone to before step {beyond}?",
        "How many steps up to step {bound} are visits to {place}?",
        "How often has the agent been to {place} by step {bound}?",
    ],
    "E4": [
        "When did the agent first open a receptacle?",
        "What is the first step at which a receptacle was opened?",
        "What was the earliest step where the agent opened a container?",
        "Which step contains the first open action?",
        "At what step was a receptacle opened for the first time?",
        "In which step did the agent open something first?",
        "Identify the first step where an open action was performed.",
        "Find the step of the first 'open' action.",
        "The first opening of a container happened at which step?",
        "State the step number at which the agent opened a receptacle for the first time.",
        "What step marks the first time the agent opened a receptacle?",
        "When was a receptacle opened for the very first time?",
        "First step with an open action?",
        "How early did the agent open a receptacle?",
        "At what point (step) was the first receptacle opened?",
        "Which step saw the first opening of a receptacle?",
        "Tell me the step of the agent's first open action.",
        "The agent's first 'open' action happened at which step?",
        "What is the earliest step at which the agent performed an open action?",
        "What was the first step in which anything was opened?",
        "When does the agent open a receptacle for the first time?",
        "At what step number does the first open action occur?",
        "Which is the earliest step with an open action?",
        "What is the step index of the first time the agent opens a receptacle?",
        "Give the first step where the agent opened a container.",
        "Report the step of the first opening.",
        "First time a receptacle is opened: which step?",
        "On which step is a receptacle first opened?",
        "In what step does the agent first open anything?",
        "Please tell me the first step at which the agent opened a receptacle.",
    ],
    "E5": [
        "When did the agent last pick up an object up to step {bound}?",
        "What is the latest step at which an object was taken, up to step {bound}?",
        "Which step is the last one where the agent took something by step {bound}?",
        "At what step was an object last picked up, through step {bound}?",
        "What was the final take action's step up to step {bound}?",
        "Up to step {bound}, when was the most recent time the agent took an object?",
        "Find the last step with a take action until step {bound}.",
        "Last take action up to step {bound}?",
        "By step {bound}, at which step had the agent most recently grabbed an item?",
        "In which step did the agent take an object for the last time, up to and including step {bound}?",
    ],
    "E6": [
        "List all steps at which {place} was closed up to step {bound}.",
        "On which steps did the agent close {place} through step {bound}?",
        "When was {place} closed, up to and including step {bound}?",
        "Which steps contain a 'close {place}' action until step {bound}?",
        "Give the step numbers at which the agent shut {place} by step {bound}.",
        "In what steps has the agent closed {place} up to step {bound}?",
        "What are the steps where {place} was closed between step 0 and step {bound}?",
        "Up to step {bound}, at which steps was {place} shut?",
        "Name the steps at which {place} was closed before step {beyond}.",
        "Identify all steps where the agent closes {place}, from step 0 to step {bound}.",
        "Report every step where {place} was closed up to step {bound}.",
        "What step numbers correspond to closing {place} up to step {bound}?",
        "At what steps is {place} closed by the agent, through step {bound}?",
        "List the step ids of all closings of {place} up to step {bound}.",
        "Which steps up to step {bound} are closings of {place}?",
        "Enumerate all steps in which {place} gets closed by step {bound}.",
        "During which steps did the agent close {place}, up to step {bound}?",
        "When did the agent close {place} up to step {bound}?",
        "Steps at which the agent closed {place} up to step {bound}?",
        "Give me all steps where the action was 'close {place}' up to step {bound}.",
    ],
    "E7": [
        "What is the most visited location up to step {bound}?",
        "Which place was visited most frequently through step {bound}?",
        "Up to step {bound}, which location has the agent visited the most?",
        "Which receptacle did the agent go to the most times by step {bound}?",
        "Name the location that the agent visited most often up to and including step {bound}.",
        "What location was most frequently visited until step {bound}?",
        "Until step {bound}, to which location did the agent go most often?",
        "Find the most-visited place between step 0 and step {bound}.",
        "Which location did the agent travel to most often before step {beyond}?",
        "Of all locations, which was visited most often up to step {bound}?",
        "Up to step {bound}, what's the agent's most frequent destination?",
        "Which location received the most visits through step {bound}?",
        "Which location has the highest number of visits up to step {bound}?",
        "Where did the agent go most often up to step {bound}?",
        "Which place did the agent frequent most by step {bound}?",
        "What is the location with the most go to actions up to step {bound}?",
        "Through step {bound}, which location was gone to most frequently?",
        "Which location was the target of the most 'go to' actions up to step {bound}?",
        "What location did the agent visit the greatest number of times by step {bound}?",
        "Up to and including step {bound}, the agent went to which location most often?",
        "What location did the agent go to most up to step {bound}?",
        "Which location was visited the most times by step {bound}?",
        "Name the most frequently visited location up to step {bound}.",
        "Up to step {bound}, where did the agent go most frequently?",
        "Which location has the most visits up to step {bound}?",
        "Which place did the agent visit most by step {bound}?",
        "Tell me which location was visited most often through step {bound}.",
        "Identify the location with the most visits up to step {bound}.",
        "What was the agent's most visited location up to step {bound}?",
        "The location visited most often up to step {bound} is which one?",
    ],
    "E8": [
        "How many distinct locations were visited up to step {bound}?",
        "What is the number of different locations the agent went to by step {bound}?",
        "How many unique places did the agent visit through step {bound}?",
        "Up to step {bound}, how many different places were visited?",
        "Count the distinct locations that the agent went to until step {bound}.",
        "How many locations did the agent visit between step 0 and step {bound}?",
        "In the first {beyond} steps, how many different locations did the agent go to?",
        "What is the count of unique locations visited before step {beyond}?",
        "How many separate locations has the agent visited up to and including step {bound}?",
        "By the end of step {bound}, how many different locations had been visited by the agent?",
        "How many distinct places did the agent go to until step {bound}?",
        "Number of distinct locations visited by step {bound}?",
        "How many unique locations has the agent been to by step {bound}?",
        "What is the total number of distinct locations visited up to step {bound}?",
        "Count unique locations visited through step {bound}.",
        "How many different receptacles did the agent go to by step {bound}?",
        "How many different locations does the agent visit up to step {bound}?",
        "By step {bound}, the agent had visited how many distinct locations?",
        "Up to step {bound}, how many unique places did the agent go?",
        "How many of the locations did the agent visit up to step {bound}?",
    ],
    "S1": [
        "How many execute_bash calls were made up to step {bound}?",
        "What is the number of times execute_bash was called through step {bound}?",
        "How frequently was the execute_bash tool used until step {bound}?",
        "Count the bash commands run by step {bound}.",
        "How many bash commands did the agent execute up to and including step {bound}?",
        "How many times did the agent run a shell command before step {beyond}?",
        "What is the count of execute_bash actions between step 0 and step {bound}?",
        "In steps 0-{bound}, how many times was execute_bash invoked?",
        "By the end of step {bound}, how often had the agent used execute_bash?",
        "Give the total number of calls to execute_bash up to step {bound}.",
        "Up to and including step {bound}, how many shell commands were executed?",
        "What's the execute_bash call count by step {bound}?",
        "Tally the uses of execute_bash through step {bound}.",
        "How many bash calls has the agent issued until step {bound}?",
        "execute_bash: how many calls up to step {bound}?",
        "How many of the first {beyond} steps are execute_bash calls?",
        "Number of times the agent ran bash up to step {bound}?",
        "Over steps 0 to {bound}, what is the number of execute_bash invocations?",
        "How many terminal commands were run before step {beyond}?",
        "By step {bound}, execute_bash had been invoked how many times?",
        "How many times does the agent use execute_bash up to step {bound}?",
        "Could you count the execute_bash calls up to step {bound}?",
        "How many bash executions happened by step {bound}?",
        "How many commands did the agent run with execute_bash up to step {bound}?",
        "What is the number of execute_bash actions through step {bound}?",
        "How many steps up to step {bound} use execute_bash?",
        "How many times was bash used until step {bound}?",
        "How many shell calls were made before step {beyond}?",
        "By step {bound}, how many times had the execute_bash tool been called?",
        "Total execute_bash calls up to step {bound}?",
    ],
    "S3": [
        "Which steps ended with a non-zero exit code up to step {bound}?",
        "List all steps where a bash command returned a nonzero exit code through step {bound}.",
        "When did a command exit with a non-zero status up to step {bound}?",
        "At which steps was the exit code not 0, until step {bound}?",
        "Which execute_bash calls had a non-zero exit code, up to and including step {bound}?",
        "In which steps did execute_bash finish with an exit code other than 0 by step {bound}?",
        "Give the steps at which a shell command exited with a non-zero exit code before step {beyond}.",
        "What steps have an exit code greater than 0 up to step {bound}?",
        "Up to step {bound}, at which steps did bash commands exit with non-zero codes?",
        "Name the steps where the return code of a bash command was non-zero, up to step {bound}.",
        "Up to step {bound}, which steps had bash commands that exited with a non-zero code?",
        "List the steps whose bash command ended with exit code other than zero, up to step {bound}.",
        "In which steps did execute_bash return a non-zero exit status through step {bound}?",
        "Identify steps where the exit code was non-zero until step {bound}.",
        "Which bash commands terminated with a nonzero exit code by step {bound}?",
        "What are the steps at which a bash command's exit code was not zero up to step {bound}?",
        "Steps with non-zero exit codes up to step {bound}?",
        "At which steps did commands exit non-zero up to step {bound}?",
        "For which steps is the exit code different from 0 up to step {bound}?",
        "Enumerate the steps with a failing exit code up to step {bound}.",
        "Which bash commands failed with a non-zero exit code up to step {bound}?",
        "When did bash commands return a non-zero exit code up to step {bound}?",
        "At which steps was a non-zero exit code returned up to step {bound}?",
        "Which steps resulted in a non-zero exit code through step {bound}?",
        "Give the step numbers of bash commands with a nonzero exit status up to step {bound}.",
        "What steps ended in a non-zero exit code by step {bound}?",
        "List all bash steps with exit code not equal to 0 up to step {bound}.",
        "For what steps did execute_bash report a non-zero exit code up to step {bound}?",
        "Up to step {bound}, list the steps with a non-zero exit code.",
        "In which steps did a shell command exit with a nonzero code by step {bound}?",
    ],
    "S4": [
        "List the steps at which {path} was modified up to step {bound}.",
        "When was {path} changed up to step {bound}?",
        "Which steps created or edited {path} through step {bound}?",
        "At which steps did the agent write to {path} until step {bound}?",
        "In which steps was {path} modified with str_replace_editor by step {bound}?",
        "On what steps did the agent modify the file {path} up to and including step {bound}?",
        "Give all steps where the agent created or edited {path} before step {beyond}.",
        "What steps modified {path} between step 0 and step {bound}?",
        "Up to step {bound}, at which steps was the file {path} updated?",
        "Identify the steps at which the agent altered {path}, up to step {bound}.",
        "What steps touch {path} with a create, str_replace or insert command up to step {bound}?",
        "At which steps were changes made to {path} by step {bound}?",
        "List all modifications of {path} up to step {bound}.",
        "Through step {bound}, when did the agent edit or create {path}?",
        "Which steps contain edits to or the creation of {path} up to step {bound}?",
        "Name every step in which {path} was written, up to step {bound}.",
        "Steps at which {path} was modified up to step {bound}?",
        "Up to step {bound}, in which steps did str_replace_editor modify {path}?",
        "At what steps has {path} been modified by step {bound}?",
        "Enumerate the steps that modified {path} through step {bound}.",
        "When was the file {path} modified up to step {bound}?",
        "At which steps did str_replace_editor change {path} up to step {bound}?",
        "Which steps wrote to {path} by step {bound}?",
        "List each step that modified {path} up to step {bound}.",
        "In which steps did the agent create or edit {path} through step {bound}?",
        "What are the steps where {path} was modified, up to step {bound}?",
        "At which steps is {path} edited or created up to step {bound}?",
        "Report all steps that change {path} until step {bound}.",
        "Which steps made modifications to {path} up to step {bound}?",
        "Give the steps of all edits and creations of {path} up to step {bound}.",
    ],
    "S5": [
        "How many distinct files were modified up to step {bound}?",
        "How many files did the agent modify through step {bound}?",
        "What is the number of different files that were changed until step {bound}?",
        "Count the unique files the agent modified by step {bound}.",
        "Up to step {bound}, how many different files have been created or edited?",
        "How many different paths were modified between step 0 and step {bound}?",
        "How many unique files has the agent written to up to and including step {bound}?",
        "What is the count of distinct files modified before step {beyond}?",
        "How many files were created or edited with str_replace_editor up to step {bound}?",
        "How many separate files did the agent update by the end of step {bound}?",
        "What is the number of distinct files changed by step {bound}?",
        "How many files in total did the agent modify up to step {bound}?",
        "By step {bound}, how many different files had been modified?",
        "Number of unique files modified up to step {bound}?",
        "How many files got modified through step {bound}?",
        "Across steps 0 to {bound}, how many distinct files were created or edited?",
        "Count how many different files were modified up to step {bound}.",
        "Up to step {bound}, the agent modified how many different files?",
        "Give the count of unique files that the agent changed until step {bound}.",
        "How many distinct file paths did the agent modify by step {bound}?",
        "How many unique files were changed up to step {bound}?",
        "How many files has the agent modified by step {bound}?",
        "What's the count of different files modified through step {bound}?",
        "How many different files did the agent create or edit by step {bound}?",
        "How many distinct paths were written to up to step {bound}?",
        "Number of different files touched by modifications up to step {bound}?",
        "Up to step {bound}, how many files were modified in total?",
        "How many files did str_replace_editor modify up to step {bound}?",
        "How many separate files were edited or created before step {beyond}?",
        "Count the files that were modified by step {bound}.",
    ],
    "S6": [
        "When did the agent first view {path}?",
        "What is the first step at which {path} was viewed?",
        "At which step was {path} viewed for the first time?",
        "Which step first viewed {path}?",
        "What was the earliest step where the agent looked at {path} with str_replace_editor?",
        "In which step did the agent first read {path}?",
        "Find the first step where the view command was used on {path}.",
        "The file {path} was first viewed at which step?",
        "Name the step at which the agent viewed {path} first.",
        "At what step does the agent first inspect {path} with the view command?",
        "What step is the first to view {path}?",
        "When was {path} first looked at?",
        "When did the agent view {path} for the first time?",
        "First view of {path}: which step?",
        "At which step does the first view of {path} occur?",
        "What's the earliest step in which {path} was viewed with str_replace_editor?",
        "At which step was the view command first used on {path}?",
        "In what step was {path} first opened with the view command?",
        "Which is the first step where the agent views {path}?",
        "Find the step when {path} was viewed first.",
        "At what step is {path} viewed for the first time?",
        "When does the agent first view {path}?",
        "What is the first view of {path}?",
        "Which step contains the first view of {path}?",
        "What step did the agent first read {path} at?",
        "Find when {path} was first viewed.",
        "Report the step at which {path} is first viewed.",
        "When was the first time that the agent viewed {path}?",
        "At which step does the agent look at {path} for the first time?",
        "First step where {path} is viewed?",
    ],
    "S7": [
        "When was str_replace last used up to step {bound}?",
        "What is the last step with a str_replace command up to step {bound}?",
        "At which step did the last str_replace occur up to step {bound}?",
        "Which step is the final str_replace call through step {bound}?",
        "Up to step {bound}, when did the agent last call str_replace?",
        "What is the most recent str_replace step as of step {bound}?",
        "Find the last use of the str_replace command up to step {bound}.",
        "At what step was the str_replace command used for the last time by step {bound}?",
        "The last str_replace command up to step {bound} happened at which step?",
        "Identify the latest step that uses str_replace up to step {bound}.",
    ],
    "S8": [
        "What is the most viewed path up to step {bound}?",
        "Which file was viewed most frequently through step {bound}?",
        "Which path did the agent view the most until step {bound}?",
        "Up to step {bound}, which file did the agent read most often?",
        "Name the most-viewed file by step {bound}.",
        "What path was most often viewed with str_replace_editor before step {beyond}?",
        "Which file has been viewed the most times up to step {bound}?",
        "Of all files, which did the agent view most often up to step {bound}?",
        "What file was most frequently viewed between step 0 and step {bound}?",
        "Which path was viewed most often with the view command, up to step {bound}?",
        "Which file got viewed the most by step {bound}?",
        "Which path has the most views up to step {bound}?",
        "What file did the agent look at most often up to step {bound}?",
        "Up to step {bound}, what's the most frequently viewed file?",
        "Which path was the most viewed through step {bound}?",
        "Which path had the highest number of views by step {bound}?",
        "Which file was read the most often before step {beyond}?",
        "What is the path that was viewed most often up to step {bound}?",
        "The agent viewed which path most often up to step {bound}?",
        "Which path received the most view commands up to step {bound}?",
        "What file was viewed the most up to step {bound}?",
        "Which path was viewed the greatest number of times by step {bound}?",
        "Name the file that was viewed most often through step {bound}.",
        "Which file does the agent view most frequently up to step {bound}?",
        "Up to step {bound}, which path has been viewed most?",
        "Identify the most viewed file up to step {bound}.",
        "Which path is the most frequently viewed by step {bound}?",
        "Tell me the file the agent viewed most often up to step {bound}.",
        "Which file did the agent open most often with the view command up to step {bound}?",
        "What is the most-viewed path through step {bound}?",
    ],
}
"""Per template: {bound} is the last step that counts, {beyond} the one after it, {place} and {path} what is named."""

BOUND = re.compile(r"including step (\d+)")
PLACE = re.compile(r"(?:go to|close) ([a-z]+ \d+)")
PATH = re.compile(r"(?:modify|view) (/\S+)")


def asked(question: Question, count: int) -> dict[str, object]:
    """What a wording needs to ask the same as `question`."""
    bound, place, path = (pattern.search(question.text) for pattern in (BOUND, PLACE, PATH))
    last = int(bound[1]) if bound else count - 1
    return {"bound": last, "beyond": last + 1, "place": place[1] if place else "", "path": path[1] if path else ""}


CALLED = {template: re.compile(r"\bcommands?\b") for template in ("S4", "S5")} | {
    template: re.compile(r"\bcommands?\b|str_replace_editor") for template in ("S6", "S8")
}
"""What makes a wording ask for calls, whatever came of them; else a refused call neither modifies nor views a file."""
REFUSED = re.compile(r"ERROR|No replacement was performed|File already exists")


def meant(question: Question, wording: str, episode: dict) -> tuple[int, ...] | None:
    """The steps that a wording asks for; None where a refused view makes another question of it."""
    if question.template not in CALLED or CALLED[question.template].search(wording):
        return question.events
    said = {turn["turn_idx"]: turn["observation"] or "" for turn in episode["trajectory"]}
    done = tuple(id for id in question.events if not REFUSED.match(said[id]))
    return done if question.template in ("S4", "S5") or done == question.events else None


def made_up() -> Iterator[dict]:
    for number in range(3):
        yield household(f"house {number}", 60 + 7 * number)
        yield software(f"code {number}", 60 + 7 * number)


def same(template: str, source: Iterable[dict]) -> tuple[int, int]:
    """Return how many wordings select exactly the event set wherever they are asked, and how many there are."""
    right = dict.fromkeys(WORDINGS[template], True)
    for episode in source:
        questions = [q for q in generate(episode, 1) if q.template == template]
        if not questions:
            continue
        trajectory = Trajectory.from_ama(episode)
        ledger = Ledger(trajectory)
        compiler = RuleCompiler(ledger)
        for question in questions:
            for wording in WORDINGS[template]:
                text = wording.format(**asked(question, len(trajectory)))
                results = execute(ledger, compiler.compile(text)).results
                found = {result.steps for result in results} | {ids for r in results for ids in r.groups.values()}
                expected = meant(question, wording, episode)
                if expected is None:
                    continue
                right[wording] &= expected in found
                # Not read is allowed, misread is not: a plan that is there is the right one.
                assert not results or expected in found, text
    return sum(right.values()), len(right)


@pytest.mark.parametrize("template", WORDINGS)
def test_nine_of_ten_wordings_select_the_same_steps_and_the_tenth_none(template):
    right, count = same(template, made_up())
    assert right >= 0.9 * count


@pytest.mark.parametrize("template", WORDINGS)
def test_wordings_select_the_same_steps_of_real_episodes(template):
    right, count = same(template, episodes())
    assert right >= 0.9 * count
