package io.fibry.internal.scenario;

import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Asks in a small mailbox are given up while others take their places, the actor takes them, and it may be stopped. */
final class TakeBack implements Scenario {
    @Override
    public String name() {
        return "take-back";
    }

    @Override
    public List<String> sometimes() {
        return List.of("a place was given back",
                "a wanted one kept its place",
                "lost: FULL",
                "lost: STOPPED",
                "expired");
    }

    @Override
    public void play(Play play) {
        var capacity = play.upTo(3);
        var policy = play.chance(50) ? OverflowPolicy.reject() : OverflowPolicy.block(Play.MILLI);
        var open = new CompletableFuture<Boolean>();
        var subject = new Subject(play);
        subject.make(play.anonymous().strategy(play.elsewhere())
                .mailbox(MailboxPolicy.bounded(capacity, policy)), (context, message) -> {
                    if (message.sender.equals("first")) {
                        open.get();
                    }
                });
        var asked = new ArrayList<Msg>();
        play.spawn("first", () -> {
            var first = new Msg("first", 0);
            subject.send(first);
            while (!first.begun) {
                Thread.yield();
            }
            // Nothing is taken now: what gives its place back is what nobody wants any more.
            for (int n = 0; n < capacity; n++) {
                var message = new Msg("asker", n);
                asked.add(message);
                subject.ask(message);
            }
            giveUp(play, subject, asked, capacity);
            for (int i = 0; i < 2; i++) {
                play.sender("sender" + i, 3, subject);
            }
            open.complete(true);
            for (int n = 0; n < 3; n++) {
                var answer = play.chance(50)
                        ? subject.ask(new Msg("late asker", n))
                        : subject.askFor(new Msg("late asker", n));
                play.pause();
                answer.cancel(false);
            }
        });
        play.spawn("canceller", () -> {
            while (!open.isDone()) {
                Thread.yield();
            }
            for (var message : asked) {
                play.pause();
                if (message.answer != null) {
                    message.answer.cancel(false);
                }
            }
        });
        if (play.chance(50)) {
            play.clock(2);
        }
        if (play.chance(30)) {
            play.spawn("stopper", () -> {
                while (!open.isDone()) {
                    Thread.yield();
                }
                subject.stop();
            });
        }
    }

    /** Gives some up, from the front on or not, and counts the places that are then free. */
    private static void giveUp(Play play, Subject subject, List<Msg> asked, int capacity) {
        var wantedFrom = capacity;
        for (int n = capacity - 1; n >= 0; n--) {
            var answer = asked.get(n).answer;
            if (answer != null && play.chance(60)) {
                answer.cancel(false);
                play.pause();
            } else {
                wantedFrom = n;
            }
        }
        var depth = subject.actor().mailboxSize();
        play.check(depth == capacity - wantedFrom, depth + " places are taken of " + capacity
                + " where the first that is wanted is number " + wantedFrom);
        play.saw(depth < capacity ? "a place was given back" : "a wanted one kept its place");
    }
}
