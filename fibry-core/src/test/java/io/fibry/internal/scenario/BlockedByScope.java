package io.fibry.internal.scenario;

import io.fibry.ActorScope;
import io.fibry.MailboxFullException;
import io.fibry.OverflowPolicy;
import io.fibry.ScopeLimits;
import io.fibry.internal.engine.EngineProbe;
import java.time.Duration;
import java.util.List;

/**
 * Senders wait for room in a scope, and in one inside it, while its actors make room, send to each other, are stopped, and
 * the scope is closed. Nobody waits longer than necessary.
 */
final class BlockedByScope implements Scenario {
    /** If nothing else goes on, the clock of a play moves to the next timer: who needs that has waited in vain. */
    private static final Duration AGES = Duration.ofHours(1);
    private static final int WAITING = 2;
    private static final int ASKS = 1;

    private static final class State {
        int serial;
        int blocked;
    }

    @Override
    public String name() {
        return "blocked-by-scope";
    }

    @Override
    public List<String> sometimes() {
        return List.of("lost: OVERLOAD", "lost: DROPPED_NEWEST", "lost: BLOCK_TIMEOUT", "lost: BLOCK_CYCLE",
                "lost: SENDER_INTERRUPTED", "lost: STOPPED", "lost: CLOSING", "two senders were blocked",
                "all places were taken");
    }

    @Override
    public void play(Play play) {
        var patience = play.chance(70) ? AGES : Play.MILLI;
        // An interrupt of a sender that runs a handler itself would be that handler's.
        var interrupts = play.chance(30);
        var outer = play.scope.child("outer").strategy(interrupts ? play.elsewhere() : play.strategy)
                .limits(ScopeLimits.none().waiting(WAITING)
                        .overflow(play.chance(80) ? OverflowPolicy.block(patience) : aPolicy(play)))
                .open();
        var inner = outer.child("inner").limits(ScopeLimits.none().waiting(1).asks(ASKS)
                .overflow(play.chance(60) ? OverflowPolicy.block(patience) : aPolicy(play))).open();
        play.ledger.scopes.add(outer);
        play.ledger.scopes.add(inner);
        var state = new State();
        var plain = new Subject(play).counts();
        var nested = new Subject(play).counts();
        plain.make(outer.anonymous(), (context, message) -> play.pause());
        nested.make(inner.anonymous(), (context, message) -> {
            if (message.number >= 0 && play.chance(20)) {
                send(play, play.chance(50) ? plain : nested, new Msg("inside-" + state.serial++, -1));
            }
        });
        var relay = new Subject(play).make(play.anonymous().strategy(play.elsewhere()),
                (context, message) -> send(play, nested, new Msg("relay-" + state.serial++, 0)));
        var began = play.schedule.time().nanoTime();
        for (int i = 0; i < 4; i++) {
            var sender = "sender" + i;
            var thread = play.schedule.spawn(sender, () -> {
                for (int n = 0; n < 3; n++) {
                    play.pause();
                    state.blocked++;
                    if (state.blocked > 1 && isFull(outer)) {
                        play.saw("two senders were blocked");
                    }
                    send(play, play.chance(20) ? relay : play.chance(50) ? plain : nested,
                            new Msg(sender, n));
                    state.blocked--;
                    check(play, outer, WAITING);
                    check(play, inner, 1 + ASKS);
                }
                play.check(patience != AGES || play.schedule.time().nanoTime() - began < AGES.toNanos(),
                        sender + " has waited for room in vain");
            });
            if (interrupts && play.chance(40)) {
                play.spawn("interrupter", () -> {
                    Thread.yield();
                    Thread.yield();
                    thread.interrupt();
                });
            }
        }
        if (play.chance(50)) {
            play.clock(2);
        }
        if (play.chance(40)) {
            play.spawn("stopper", () -> {
                pause(play);
                (play.chance(50) ? plain : nested).stop();
            });
        } else if (play.chance(40)) {
            plain.endsByItself();
            nested.endsByItself();
            play.spawn("closing", () -> {
                pause(play);
                outer.close();
            });
        }
        play.ledger.atTheEnd(() -> {
            check(play, outer, 0);
            check(play, inner, 0);
        });
    }

    private static boolean isFull(ActorScope scope) {
        return EngineProbe.placesTaken(scope) == WAITING;
    }

    private static void pause(Play play) {
        for (int pauses = play.random.nextInt(20); pauses > 0; pauses--) {
            Thread.yield();
        }
    }

    private static void check(Play play, ActorScope scope, int most) {
        var taken = EngineProbe.placesTaken(scope);
        play.check(taken >= 0 && taken <= most,
                taken + " of " + most + " places are taken in " + scope.name());
        if (taken > 0 && taken == most) {
            play.saw("all places were taken");
        }
    }

    private static OverflowPolicy aPolicy(Play play) {
        return switch (play.random.nextInt(3)) {
            case 0 -> OverflowPolicy.dropNewest();
            case 1 -> OverflowPolicy.reject();
            default -> OverflowPolicy.fail();
        };
    }

    private static void send(Play play, Subject subject, Msg message) {
        try {
            switch (play.random.nextInt(4)) {
                case 0 -> subject.ask(message);
                case 1 -> subject.askFor(message);
                case 2 -> {
                    var answer = subject.ask(message);
                    play.pause();
                    answer.cancel(true);
                }
                default -> subject.send(message);
            }
        } catch (MailboxFullException e) {
            // what the policy to fail is for; it is reported as well
        }
    }
}
