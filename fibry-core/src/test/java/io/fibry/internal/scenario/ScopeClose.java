package io.fibry.internal.scenario;

import io.fibry.ActorScope;
import io.fibry.ActorState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Actors and scopes are made in a scope that is being closed. */
final class ScopeClose implements Scenario {
    @Override
    public String name() {
        return "scope-close";
    }

    @Override
    public List<String> sometimes() {
        return List.of("made in time", "an actor has closed its scope",
                "refused: too late",
                "lost: STOPPED",
                "lost: STOPPED_BEFORE_TURN");
    }

    @Override
    public void play(Play play) {
        var made = new ArrayList<Subject>();
        for (int i = 0; i < 2; i++) {
            var sender = "sender" + i;
            play.spawn(sender, () -> {
                for (int n = 0; n < 3; n++) {
                    play.pause();
                    make(play, made, sender + "-" + n);
                }
            });
        }
        var closers = play.upTo(2);
        for (int i = 0; i < closers; i++) {
            play.spawn("closing" + i, () -> {
                for (int pauses = play.random.nextInt(20); pauses > 0; pauses--) {
                    Thread.yield();
                }
                play.scope.close();
                made.forEach(subject -> {
                    play.check(subject.actor().state() == ActorState.STOPPED,
                            "its scope is closed, but it is " + subject.actor().state());
                    play.check(subject.hasStopped(), "its scope is closed, but its end was not told");
                    play.check(subject.actor().waitForExit(Duration.ZERO),
                            "its scope is closed, but who waits for its end goes on waiting");
                });
            });
        }
    }

    private static void make(Play play, List<Subject> made, String name) {
        var subject = new Subject(play);
        try {
            var own = play.chance(50) ? inner(play) : play.scope; // an actor closes only an inner scope
            var isNamed = own == play.scope && play.chance(50);
            var builder = isNamed ? own.named(name) : own.anonymous();
            if (play.chance(30)) {
                builder = builder.strategy(actor -> {
                    play.pause();
                    return play.schedule.executor();
                });
            }
            subject.make(builder, (context, message) -> {
                if (message.sender.equals(name) && play.chance(20)) {
                    subject.send(new Msg(name + "-self", message.number));
                }
                if (own != play.scope && play.chance(10)) {
                    own.close();
                    play.saw("an actor has closed its scope");
                }
            });
        } catch (IllegalStateException e) {
            play.ledger.subjects.remove(subject);
            play.saw("refused: too late");
            return;
        }
        made.add(subject);
        play.saw("made in time");
        for (int i = 0; i < 3; i++) {
            subject.send(new Msg(name, i));
            play.pause();
        }
    }

    private static ActorScope inner(Play play) {
        var inner = play.scope.child("inner").strategy(play.strategy).open();
        play.ledger.scopes.add(inner);
        return inner;
    }
}
