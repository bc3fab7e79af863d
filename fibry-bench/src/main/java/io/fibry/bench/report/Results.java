package io.fibry.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * All that a run of the program found.
 *
 * @param size how much was measured: full, quick or smoke
 * @param command what started it
 * @param machine where, in the order to show it in
 * @param sections what each experiment found
 */
public record Results(String size, String command, Map<String, Object> machine, List<Section> sections) {
    /** Copies the list. */
    public Results {
        sections = List.copyOf(sections);
    }

    /**
     * What to say of the figures before anybody reads them.
     *
     * @return the warning; empty if they may be shown
     */
    public String warning() {
        return switch (size) {
            case "quick" ->
                "Quick figures are rough: few, short rounds, smaller amounts, and fewer cases than a "
                        + "full run. Do not show them.";
            case "smoke" -> "Smoke figures mean nothing: they only say that the program works.";
            default -> "";
        };
    }

    /**
     * All that a reader has to be warned of.
     *
     * @return the warnings; none if the figures may be shown
     */
    public List<String> warnings() {
        var warnings = new ArrayList<String>();
        if (!warning().isEmpty()) {
            warnings.add(warning());
        }
        if (machine.get("load") instanceof Number load && machine.get("cores") instanceof Number cores
                && load.doubleValue() > cores.doubleValue() / 2) {
            warnings.add("Others were using this machine (load %s on %s cores): these figures are rough."
                    .formatted(load, cores));
        }
        return warnings;
    }

    /**
     * Whether each experiment went well.
     *
     * @return true if none failed
     */
    public boolean isComplete() {
        return sections.stream().allMatch(section -> section.failure().isEmpty());
    }
}
