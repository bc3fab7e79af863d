package io.fibry.internal.scenario;

import java.util.Map;
import java.util.TreeMap;

/** How scenarios are played. */
final class Scenarios {
    private Scenarios() {
    }

    /** Plays one seed and counts what was seen; the schedule that was played. */
    static String play(Scenario scenario, long seed, Map<String, Integer> seen) {
        var play = new Play(seed, what -> seen.merge(what, 1, Integer::sum));
        play.play(scenario);
        return play.schedule.trace();
    }

    static Map<String, Integer> sightings() {
        return new TreeMap<>();
    }
}
