package io.fibry.internal.scenario;

import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ScopeLimits;
import io.fibry.internal.engine.EngineProbe;
import io.fibry.testing.BlockVariable;
import java.util.List;
import java.util.concurrent.CancellationException;

/**
 * What is bound to blocks of code goes with messages, and nothing else of it is seen: who asks waits in a block that binds
 * something else, where the one that it asks may run. Some asks are given up meanwhile.
 */
final class Scoped implements Scenario {
    private static final String NOBODY = "nobody";

    @Override
    public String name() {
        return "scoped";
    }

    @Override
    public List<String> sometimes() {
        return List.of("ran on the thread of who asks", "a message of nobody ran elsewhere", "given up");
    }

    @Override
    public void play(Play play) {
        var tenant = new BlockVariable.Made();
        var limits = play.chance(50) ? ScopeLimits.none() : ScopeLimits.none().waiting(1_000).asks(1_000);
        var scope = play.scope.child("carrying").carry(tenant.carrier()).limits(limits).open();
        play.ledger.scopes.add(scope);
        play.ledger.atTheEnd(
                () -> play.check(EngineProbe.placesTaken(scope) == 0, "places of the scope are kept"));
        var back = new Subject(play);
        back.make(builder(play, scope), (context, message) -> check(play, tenant, message));
        var front = new Subject(play);
        front.make(scope.anonymous(), (context, message) -> {
            check(play, tenant, message);
            var sent = new Msg(message.sender, front.handled);
            if (play.chance(30)) {
                back.send(new Msg(message.sender, front.handled - 1_000));
            }
            var asked = back.ask(sent);
            if (play.chance(30)) {
                play.spawn("quitter", () -> {
                    play.pause();
                    if (asked.cancel(false)) {
                        play.saw("given up");
                    }
                });
            }
            tenant.run("mallory", () -> {
                try {
                    asked.join();
                } catch (CancellationException e) {
                    play.check(asked.isCancelled(), "cancelled by nobody");
                }
            });
            check(play, tenant, message);
            if (back.ranOn(Thread.currentThread())) {
                play.saw("ran on the thread of who asks");
            } else if (message.sender.equals(NOBODY)) {
                play.saw("a message of nobody ran elsewhere");
            }
        });
        for (int i = 0; i < 3; i++) {
            var sender = i == 0 ? NOBODY : "sender" + i;
            play.spawn(sender, () -> tenant.where(sender.equals(NOBODY) ? null : sender, () -> {
                for (int n = 0; n < 3; n++) {
                    play.pause();
                    if (play.chance(50)) {
                        front.send(new Msg(sender, n));
                    } else {
                        front.ask(new Msg(sender, n));
                    }
                }
                return true;
            }));
        }
    }

    private static ActorBuilder builder(Play play, ActorScope scope) {
        return play.chance(50) ? scope.anonymous()
                : scope.anonymous().mailbox(MailboxPolicy.bounded(100, OverflowPolicy.reject()));
    }

    private static void check(Play play, BlockVariable tenant, Msg message) {
        var found = tenant.value();
        play.check(message.sender.equals(NOBODY) ? found == null : message.sender.equals(found),
                "a message of " + message.sender + " sees " + found);
    }
}
