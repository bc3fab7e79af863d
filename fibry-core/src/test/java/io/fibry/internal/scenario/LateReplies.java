package io.fibry.internal.scenario;

import io.fibry.AskCycleException;
import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
import io.fibry.internal.actor.Cell;
import io.fibry.message.DeferredReply;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Replies are deferred and completed by another thread, while asks are cancelled or run out of time, and the actor stops. Or
 * the actor asks the one that waits for its deferred reply. Or it stops when it has owed no reply for some time.
 */
final class LateReplies implements Scenario {
    @Override
    public String name() {
        return "late-replies";
    }

    @Override
    public List<String> sometimes() {
        return List.of("a late reply was the answer", "a late reply came too late",
                "a reply was lost with its actor",
                "an ask was cancelled after its reply was deferred",
                "the actor asked an actor that waits for it",
                "an actor stopped some time after its late replies");
    }

    @Override
    public void play(Play play) {
        if (play.chance(60)) {
            completeOrEnd(play);
        } else if (play.chance(60)) {
            askBack(play);
        } else {
            restAfterReply(play);
        }
    }

    /** An actor stops when it has been idle: after its messages, and after the last reply that it owed. */
    private static void restAfterReply(Play play) {
        var time = play.schedule.time();
        var latest = new long[1];
        var open = new ArrayList<DeferredReply<Integer>>();
        play.scope.listen(event -> {
            if (event instanceof Stopped stopped && stopped.reason() == Reason.IDLE) {
                play.saw("an actor stopped some time after its late replies");
                play.check(open.isEmpty(), "stopped while it owed a reply");
                play.check(time.nanoTime() - latest[0] >= Play.MILLI.toNanos(),
                        "stopped as idle " + (time.nanoTime() - latest[0]) + " ns after a reply");
            }
        });
        var subject = new Subject(play).endsByItself();
        subject.make(play.anonymous().stopWhenIdle(Play.MILLI), (context, message) -> {
            open.add(context.deferReply());
            latest[0] = time.nanoTime();
        });
        play.spawn("asker", () -> {
            for (int n = play.upTo(2); n > 0; n--) {
                var unused = subject.ask(new Msg("asker", -n));
                play.pause();
            }
        });
        play.spawn("completer", () -> {
            for (int pauses = 10 + play.random.nextInt(20); pauses > 0; pauses--) {
                play.pause();
                if (!open.isEmpty() && play.chance(20)) {
                    var reply = open.removeFirst();
                    latest[0] = time.nanoTime();
                    reply.complete(1);
                }
            }
        });
        play.clock(6);
    }

    private static void completeOrEnd(Play play) {
        var open = new ArrayList<DeferredReply<Integer>>();
        var busy = new HashSet<>(List.of("asker0", "asker1", "completer"));
        var subject = new Subject(play).endsByItself().counts();
        var builder = play.chance(50) ? play.anonymous().interruptOnCancel() : play.anonymous();
        subject.make(builder, (context, message) -> {
            if (message.number % 3 != 2) {
                open.add(context.deferReply());
            }
        });
        for (int i = 0; i < 2; i++) {
            var asker = "asker" + i;
            play.spawn(asker, () -> {
                for (int n = 0; n < 3; n++) {
                    play.pause();
                    var message = new Msg(asker, n);
                    var answer = play.chance(70) ? subject.ask(message) : subject.askFor(message);
                    for (int pauses = play.random.nextInt(12); pauses > 0; pauses--) {
                        Thread.yield();
                    }
                    if (play.chance(50) && answer.cancel(true) && message.returned > 0) {
                        play.saw("an ask was cancelled after its reply was deferred");
                    }
                }
                busy.remove(asker);
            });
        }
        play.spawn("completer", () -> {
            for (int i = 0; i < 10; i++) {
                play.pause();
                if (!open.isEmpty()) {
                    var first = open.removeFirst().complete(i);
                    play.saw(first ? "a late reply was the answer" : "a late reply came too late");
                }
            }
            busy.remove("completer");
        });
        if (play.chance(50)) {
            play.clock(3);
        }
        if (play.chance(50)) {
            play.spawn("looker", () -> {
                while (!busy.isEmpty()) {
                    Thread.yield();
                }
                play.ledger.tick();
                subject.actor().execAndWait(() -> {
                });
                open.stream().filter(reply -> !reply.isDone()).forEach(reply -> reply.complete(0));
                play.check(!owes(subject), "a reply that is over is still listed");
            });
        } else {
            play.spawn("stopper", () -> {
                for (int pauses = play.random.nextInt(30); pauses > 0; pauses--) {
                    Thread.yield();
                }
                subject.stop();
            });
        }
        play.ledger.atTheEnd(() -> {
            open.forEach(reply -> {
                play.check(reply.isDone(), "still open after the end: " + reply);
                play.saw("a reply was lost with its actor");
            });
            play.check(!owes(subject), "a reply that is over is still listed after the end");
        });
    }

    private static boolean owes(Subject subject) {
        var extended = ((Cell) subject.actor()).extendedStateIfAny();
        return extended != null && extended.owesReplies();
    }

    private static void askBack(Play play) {
        var open = new ArrayList<DeferredReply<Integer>>();
        var done = new CompletableFuture<Boolean>();
        var waits = new Subject(play);
        var owes = new Subject(play).make(play.anonymous().strategy(play.elsewhere()), (context, message) -> {
            if (message.sender.equals("waits")) {
                open.add(context.deferReply());
            } else {
                ask(play, waits, new Msg("owes", 0));
                done.complete(true);
                play.saw("the actor asked an actor that waits for it");
            }
        });
        waits.make(play.anonymous().strategy(play.elsewhere()), (context, message) -> {
            if (message.sender.equals("first")) {
                ask(play, owes, new Msg("waits", 0));
            }
        });
        play.sender("first", 1, waits);
        play.spawn("second", () -> {
            while (open.isEmpty()) {
                Thread.yield();
            }
            owes.send(new Msg("second", 0));
            for (int pauses = play.random.nextInt(20); pauses > 0; pauses--) {
                Thread.yield();
            }
            play.check(!done.isDone(), "the actor that waits has answered");
            play.check(open.getFirst().complete(1), "another thread was first");
        });
    }

    private static void ask(Play play, Subject other, Msg message) throws Exception {
        try {
            other.ask(message).get();
        } catch (AskCycleException e) {
            play.check(false, "no cycle: " + e.getMessage());
        } catch (ExecutionException e) {
            play.check(false, "failed: " + e.getCause());
        }
    }
}
