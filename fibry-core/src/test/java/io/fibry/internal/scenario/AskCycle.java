package io.fibry.internal.scenario;

import io.fibry.AskCycleException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;

/** Actors ask each other at random: nobody waits for ever, and nobody is refused without need. */
final class AskCycle implements Scenario {
    @Override
    public String name() {
        return "ask-cycle";
    }

    @Override
    public List<String> sometimes() {
        return List.of("a cycle",
                "answered",
                "cancelled");
    }

    private record Edge(Subject to, Msg ask, Thread thread) {
        /** Whether its owner waits: for the answer, or for the one on top that was to give it, which waits as well. */
        boolean isThere(Map<Subject, Edge> waiting) {
            var above = waiting.get(to);
            return ask.answer == null || !ask.answer.isDone() || (above != null && above.thread == thread);
        }
    }

    @Override
    public void play(Play play) {
        var subjects = new ArrayList<Subject>();
        var waiting = new HashMap<Subject, Edge>();
        for (int i = 0; i < 4; i++) {
            var self = new Subject(play);
            subjects.add(self);
            var name = "actor" + i;
            self.make(play.anonymous().strategy(play.elsewhere()), (context, message) -> {
                if (message.number > 0) {
                    var next = subjects.get(play.random.nextInt(subjects.size()));
                    ask(play, waiting, self, next, new Msg(name + "-" + self.handled, message.number - 1));
                }
            });
        }
        play.spawn("canceller", () -> {
            for (int i = 0; i < 10; i++) {
                play.pause();
                subjects.stream().map(waiting::get).filter(edge -> edge != null && edge.ask.answer != null)
                        .findFirst().ifPresent(edge -> edge.ask.answer.cancel(false));
            }
        });
        for (int i = 0; i < 3; i++) {
            var first = subjects.get(i);
            play.sender("sender" + i, play.upTo(2), first);
            play.spawn("asker" + i, () -> {
                play.pause();
                first.ask(new Msg("asker", play.upTo(3))).get();
            });
        }
    }

    private static void ask(Play play, Map<Subject, Edge> waiting, Subject self, Subject next, Msg message)
            throws Exception {
        waiting.put(self, new Edge(next, message, Thread.currentThread()));
        try {
            next.ask(message).get();
            play.saw("answered");
        } catch (CancellationException e) {
            play.saw("cancelled");
        } catch (AskCycleException e) {
            play.saw("a cycle");
            var at = next;
            for (int i = 0; i < 4 && at != self; i++) {
                var edge = waiting.get(at);
                play.check(edge != null && edge.isThere(waiting), "no cycle: " + e.getMessage());
                at = edge == null ? self : edge.to;
            }
        } finally {
            waiting.remove(self);
        }
    }
}
