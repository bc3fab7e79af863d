package io.fibry.internal.scenario;

import io.fibry.AskCycleException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;

/**
 * Actors ask each other at random: nobody waits for ever, and nobody is refused without need. A message whose asker was refused
 * is not handled, unless its handler was running already.
 */
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
        var handling = new HashMap<Subject, Msg>();
        var refused = new HashSet<Msg>();
        for (int i = 0; i < 4; i++) {
            var self = new Subject(play);
            subjects.add(self);
            var name = "actor" + i;
            self.make(play.anonymous().strategy(play.elsewhere()), (context, message) -> {
                play.check(!refused.contains(message), "handled, although its asker was refused: " + message);
                if (message.number > 0) {
                    handling.put(self, message);
                    var next = subjects.get(play.random.nextInt(subjects.size()));
                    var ask = new Msg(name + "-" + self.handled, message.number - 1);
                    if (!ask(play, waiting, self, next, ask)) {
                        play.check(!ask.begun || handling.get(next) == ask, "refused and handled: " + ask);
                        if (!ask.begun) {
                            refused.add(ask);
                        }
                    }
                    handling.remove(self);
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

    /** Returns false if the ask was refused. */
    private static boolean ask(Play play, Map<Subject, Edge> waiting, Subject self, Subject next, Msg message)
            throws Exception {
        waiting.put(self, new Edge(next, message, Thread.currentThread()));
        try {
            next.ask(message).get();
            play.saw("answered");
            return true;
        } catch (CancellationException e) {
            play.saw("cancelled");
            return true;
        } catch (AskCycleException e) {
            play.saw("a cycle");
            var at = next;
            for (int i = 0; i < 4 && at != self; i++) {
                var edge = waiting.get(at);
                play.check(edge != null && edge.isThere(waiting), "no cycle: " + e.getMessage());
                at = edge == null ? self : edge.to;
            }
            return false;
        } finally {
            waiting.remove(self);
        }
    }
}
