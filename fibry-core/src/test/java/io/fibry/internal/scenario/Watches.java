package io.fibry.internal.scenario;

import io.fibry.Actor;
import io.fibry.ActorState;
import java.util.List;

/** Actors begin to watch another one while that is being stopped. */
final class Watches implements Scenario {
    @Override
    public String name() {
        return "watches";
    }

    @Override
    public List<String> sometimes() {
        return List.of("watched in time", "watched too late", "the watch was taken back");
    }

    /** What one watcher has done and heard. */
    private static final class Watching {
        int notices;
        boolean takenBack;
    }

    @Override
    public void play(Play play) {
        var subject = new Subject(play).make(play.anonymous(), (context, message) -> {
        });
        var watchers = play.scope.child("watchers").open();
        for (int i = 0; i < 2; i++) {
            var name = "watcher" + i;
            var watching = new Watching();
            var takesBack = play.chance(30);
            Actor<String, Void> watcher = watchers.anonymous()
                    .onExit(() -> play.check(watching.notices == (watching.takenBack ? 0 : 1),
                            name + " has heard " + watching.notices + " times"))
                    .newActor((context, message) -> {
                        switch (message) {
                            case "watch" -> {
                                play.saw(subject.actor().state() == ActorState.STOPPED
                                        ? "watched too late"
                                        : "watched in time");
                                context.watch(subject.actor(), end -> "gone");
                            }
                            case "unwatch" -> {
                                watching.takenBack = context.unwatch(subject.actor());
                                if (watching.takenBack) {
                                    play.saw("the watch was taken back");
                                }
                            }
                            default -> {
                                play.check(!watching.takenBack, "heard of whom it watches no more");
                                play.check(subject.actor().waitForExit(java.time.Duration.ZERO),
                                        "heard before the end");
                                watching.notices++;
                            }
                        }
                    });
            play.spawn(name, () -> {
                for (int n = play.random.nextInt(20); n > 0; n--) {
                    Thread.yield();
                }
                watcher.sendMessage("watch");
                if (takesBack) {
                    play.pause();
                    watcher.sendMessage("unwatch");
                }
            });
        }
        play.sender("sender", 3, subject);
        play.spawn("stopper", () -> {
            for (int n = play.random.nextInt(20); n > 0; n--) {
                Thread.yield();
            }
            subject.stop();
        });
    }
}
