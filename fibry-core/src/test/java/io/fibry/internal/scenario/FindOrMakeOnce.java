package io.fibry.internal.scenario;

import io.fibry.Actor;
import io.fibry.ActorName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Several threads find or make the actor of one name, while others stop it. */
final class FindOrMakeOnce implements Scenario {
    private static final String NAME = "tom";

    @Override
    public String name() {
        return "find-or-make";
    }

    @Override
    public List<String> sometimes() {
        return List.of("found", "made", "another one was told to stop", "the name was taken by another");
    }

    /** What was made, and which of those were told to stop. */
    private static final class Seen {
        final Map<Actor<Msg, Integer>, Subject> made = new HashMap<>();
        final Set<Actor<Msg, Integer>> told = new HashSet<>();
        int makersCalled;
    }

    @Override
    public void play(Play play) {
        var seen = new Seen();
        var stops = play.chance(60);
        var threads = 1 + play.upTo(2);
        for (int i = 0; i < threads; i++) {
            var who = "finder" + i;
            play.spawn(who, () -> {
                for (int n = 0; n < 2; n++) {
                    play.pause();
                    get(play, seen, new Msg(who, n), stops);
                }
            });
        }
        play.ledger.atTheEnd(() -> {
            play.check(seen.made.size() == play.ledger.subjects.size(), "not all were told of");
            play.check(stops || seen.made.size() == 1, seen.made.size() + " actors were made");
            if (seen.makersCalled > seen.made.size()) {
                play.saw("the name was taken by another");
            }
        });
    }

    private static void get(Play play, Seen seen, Msg message, boolean stops) {
        var toldBefore = Set.copyOf(seen.told);
        var mine = new ArrayList<Subject>();
        var got = play.scope.<Msg, Integer>findOrMake(ActorName.of(NAME), builder -> {
            seen.makersCalled++;
            var subject = new Subject(play);
            try {
                subject.make(builder, (context, m) -> {
                });
            } catch (RuntimeException e) {
                play.ledger.subjects.remove(subject);
                throw e;
            }
            seen.made.put(subject.actor(), subject);
            mine.add(subject);
            return subject.actor();
        });
        play.saw(mine.isEmpty() ? "found" : "made");
        play.check(!toldBefore.contains(got), "it had been told to stop before it was asked for");
        while (!seen.made.containsKey(got)) {
            play.pause(); // it has its name, and its maker has not returned
        }
        var subject = seen.made.get(got);
        play.pause();
        subject.send(message);
        if (stops && play.chance(50)) {
            play.pause();
            subject.stop();
            seen.told.add(got);
            play.saw("another one was told to stop");
        }
    }
}
