package io.fibry.internal.scenario;

import io.fibry.CreationStrategy;
import java.util.List;

/** Actors of which only so many may run at a time. */
final class Turnstiles implements Scenario {
    @Override
    public String name() {
        return "turnstiles";
    }

    @Override
    public List<String> sometimes() {
        return List.of("as many as may be");
    }

    @Override
    public void play(Play play) {
        var places = play.upTo(2);
        var limited = CreationStrategy.limited(play.strategy, places);
        var running = new int[1];
        for (int i = 0; i < 4; i++) {
            var subject = new Subject(play).make(play.anonymous().strategy(limited), (context, message) -> {
                running[0]++;
                play.check(running[0] <= places, running[0] + " handlers run, of " + places + " that may");
                if (running[0] == places) {
                    play.saw("as many as may be");
                }
                play.pause();
                running[0]--;
            });
            play.sender("sender" + i, 3, subject);
        }
    }
}
