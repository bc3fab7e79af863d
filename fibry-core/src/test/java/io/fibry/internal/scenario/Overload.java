package io.fibry.internal.scenario;

import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ScopeLimits;
import io.fibry.internal.engine.EngineProbe;
import java.util.List;

/** Messages count for the limits of a scope, and are then handled, lost, cancelled or forgotten. */
final class Overload implements Scenario {
    private static final int WAITING = 3;
    private static final int ASKS = 2;

    @Override
    public String name() {
        return "overload";
    }

    @Override
    public List<String> sometimes() {
        return List.of("lost: OVERLOAD", "lost: DROPPED_OLDEST", "lost: STOPPED_BEFORE_TURN", "expired",
                "all places were taken");
    }

    @Override
    public void play(Play play) {
        var scope = play.scope.child("limited").strategy(play.strategy)
                .limits(ScopeLimits.none().waiting(WAITING).asks(ASKS)).open();
        play.ledger.scopes.add(scope);
        var bounded = new Subject(play).make(
                scope.anonymous().mailbox(MailboxPolicy.bounded(2, OverflowPolicy.dropOldest())),
                (context, message) -> {
                    if (play.chance(20)) {
                        throw new IllegalStateException("as wanted");
                    }
                });
        var plain = new Subject(play).make(scope.anonymous(), (context, message) -> play.pause());
        for (int i = 0; i < 3; i++) {
            var sender = "sender" + i;
            play.spawn(sender, () -> {
                for (int n = 0; n < 4; n++) {
                    play.pause();
                    send(play, play.chance(50) ? bounded : plain, new Msg(sender, n));
                    var taken = EngineProbe.placesTaken(scope);
                    play.check(taken >= 0 && taken <= WAITING + ASKS, taken + " places are taken");
                    if (taken == WAITING + ASKS) {
                        play.saw("all places were taken");
                    }
                }
            });
        }
        play.clock(3);
        if (play.chance(50)) {
            play.spawn("stopper", () -> {
                play.pause();
                bounded.stop();
            });
        }
        play.ledger.atTheEnd(() -> play.check(EngineProbe.placesTaken(scope) == 0,
                EngineProbe.placesTaken(scope) + " places were not given back"));
    }

    private static void send(Play play, Subject subject, Msg message) {
        switch (play.random.nextInt(4)) {
            case 0 -> subject.send(message);
            case 1 -> subject.ask(message);
            case 2 -> subject.askFor(message);
            default -> {
                var answer = subject.ask(message);
                play.pause();
                answer.cancel(true);
            }
        }
    }
}
