package io.fibry.internal.scenario;

import io.fibry.ActorContext;
import java.util.List;

/** An actor stops itself, in every way there is, while others send to it. */
final class StopFromInside implements Scenario {
    @Override
    public String name() {
        return "stop-from-inside";
    }

    @Override
    public List<String> sometimes() {
        return List.of("lost: STOPPED",
                "lost: STOPPED_BEFORE_TURN",
                "waited for itself");
    }

    @Override
    public void play(Play play) {
        var way = play.random.nextInt(6);
        var at = play.random.nextInt(4);
        var subject = new Subject(play).endsByItself();
        subject.make(play.anonymous(), (context, message) -> {
            if (subject.handled > at) {
                stop(play, way, context);
            }
        });
        for (int i = 0; i < 2; i++) {
            play.sender("sender" + i, 4, subject);
        }
        if (play.chance(30)) {
            play.spawn("stopper", subject::stop);
        }
    }

    private static void stop(Play play, int way, ActorContext<Msg, Integer> context) {
        switch (way) {
            case 0 -> context.askExit();
            case 1 -> context.self().askExit();
            case 2 -> context.self().sendPoisonPill();
            case 3 -> context.self().stop(Play.MILLI);
            case 4 -> context.self().close();
            default -> play.scope.close();
        }
        try {
            context.self().waitForExit();
            play.check(false, "an actor waited for its own end");
        } catch (IllegalStateException e) {
            play.saw("waited for itself");
        }
    }
}
