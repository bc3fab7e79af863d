package io.fibry.cluster.simulation;

import java.util.List;

/** The mistakes that the scenarios must find. */
final class Mutants {
    static final List<Mutant> ALL = List.of(
            new Mutant("what-was-transmitted-is-taken-for-not-sent", "stream/Outbound.java",
                    "number <= highest", "number < 0",
                    "kills", 50),
            new Mutant("item-passes-twice", "stream/Inbound.java", "number != known + verdicts.size() + 1",
                    "number > known + verdicts.size() + 1", "badNetwork", 20),
            new Mutant("round-is-open-after-a-return", "home/ClusterMember.java",
                    "if (!peer.takes(key, arrived.round())) {",
                    "if (Boolean.FALSE) {", "calm", 400),
            new Mutant("message-reaches-a-node-that-is-not-its-home", "home/ClusterMember.java",
                    "if (group == null || !group.slice(arrived.slice()).isOpen()) {", "if (group == null) {",
                    "calm", 50),
            new Mutant("route-flows-while-letters-are-underway", "home/RouteToHome.java",
                    "if (target != null || underway > 0) {",
                    "if (target != null) {", "calm", 200),
            new Mutant("returned-letters-follow-newer-ones", "home/RouteToHome.java",
                    "held.put(letter.number(), letter);",
                    "held.put(-letter.number(), letter);", "calm", 200),
            new Mutant("route-flows-while-a-letter-may-have-to-be-repeated", "home/RouteToHome.java",
                    "if (home != null && unanswered.values().stream().allMatch(home::equals)) {",
                    "if (home != null) {", "repeats", 4000),
            new Mutant("ask-that-may-be-repeated-is-told-as-uncertain", "home/ClusterMember.java",
                    "if (!certain && letter.mayBeRepeated(now)) {",
                    "if (Boolean.FALSE) {", "repeats", 50),
            new Mutant("repeated-ask-is-told-as-certainly-not-handled", "home/Letter.java",
                    "uncertainAt != null && isCertain ?", "uncertainAt != null && Boolean.FALSE ?", "repeats",
                    200),
            new Mutant("singleton-moves-to-a-node-that-joins", "home/SharedGroup.java",
                    "return !hosts || (!whole &&", "return !hosts || (", "singletonInCalm", 50),
            new Mutant("slice-is-claimed-while-its-home-is-at-work", "home/Slice.java",
                    "if (last == null || mine || !last.open() || isLost(last)) {", "if (Boolean.TRUE) {",
                    "calm", 50),
            new Mutant("home-that-has-just-joined-is-taken-for-lost", "home/Slice.java",
                    "last.view() <= member.view()",
                    "last.view() <= Long.MAX_VALUE", "calm", 1000),
            new Mutant("slice-opens-though-its-change-is-not-known-to-be-done", "home/Slice.java",
                    "claimed && outcome == Outcome.DONE &&", "claimed &&", "badTables", 50),
            new Mutant("gentle-end-goes-on-without-the-majority", "home/Slice.java",
                    "            drain(false);\n",
                    "            isGentle = false;\n", "everything", 400),
            new Mutant("node-leaves-before-others-know-what-it-took", "home/ClusterMember.java",
                    "known &= !sees(peer.node) || (peer.in.isTakenKnown() && !peer.out.isBusy());",
                    "known &= !sees(peer.node) || !peer.out.isBusy();", "badNetwork", 200),
            new Mutant("there-is-no-second-round", "circle/CircleSearch.java",
                    "ways.send(wait, probe.second());", "ways.refuse(wait, probe.toString());", "circles",
                    1000),
            new Mutant("each-ask-of-a-circle-is-searched", "circle/CircleSearch.java",
                    "} else if (next.compareTo(probe.begin()) < 0) {", "} else if (Boolean.FALSE) {",
                    "circles", 200),
            new Mutant("wait-that-was-noted-before-is-searched-no-more", "circle/CircleSearch.java",
                    "noted.remove(wait.ask());",
                    "if (noted.containsKey(wait.ask()) || lastSearch > 0) return;",
                    "circles", 50));

    private Mutants() {
    }
}
