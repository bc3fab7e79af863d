package io.fibry.internal.scenario;

import io.fibry.ContextCarrier;
import java.util.List;

/** Messages carry whose they are, and actors run one after another, or one on top of another, on the same threads. */
final class Baggage implements Scenario {
    private static final ThreadLocal<String> OWNER = new ThreadLocal<>();
    private static final String NOBODY = "nobody";

    @Override
    public String name() {
        return "baggage";
    }

    @Override
    public List<String> sometimes() {
        return List.of("ran on the thread of who asks",
                "ran elsewhere",
                "a message of nobody");
    }

    @Override
    public void play(Play play) {
        var scope = play.scope.child("carrying").carry(ContextCarrier.of(OWNER)).open();
        play.ledger.scopes.add(scope);
        var back = new Subject(play);
        back.make(scope.anonymous(), (context, message) -> {
            check(play, message.sender);
            OWNER.set("what a handler has left");
        });
        var front = new Subject(play);
        front.make(scope.anonymous(), (context, message) -> {
            check(play, message.sender);
            if (play.chance(30)) {
                OWNER.remove();
                play.saw("a message of nobody");
                back.send(new Msg(NOBODY, front.handled));
                OWNER.set(message.sender);
            }
            back.ask(new Msg(message.sender, message.number)).get();
            check(play, message.sender);
            play.saw(back.ranOn(Thread.currentThread()) ? "ran on the thread of who asks" : "ran elsewhere");
            OWNER.set("what a handler has left");
        });
        for (int i = 0; i < 3; i++) {
            var sender = "sender" + i;
            play.spawn(sender, () -> {
                OWNER.set(sender);
                for (int n = 0; n < 3; n++) {
                    play.pause();
                    if (play.chance(50)) {
                        front.send(new Msg(sender, n));
                    } else {
                        front.ask(new Msg(sender, n));
                    }
                    check(play, sender);
                }
            });
        }
    }

    private static void check(Play play, String owner) {
        var found = OWNER.get();
        play.check(owner.equals(NOBODY) ? found == null : owner.equals(found),
                "a message of " + owner + " has the context of " + found);
    }
}
