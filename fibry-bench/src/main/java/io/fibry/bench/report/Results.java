package io.fibry.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * All results of a run of the program.
 *
 * @param size the size of the run: full, quick or smoke
 * @param command the command of the run
 * @param machine the machine, in the order in which it is shown
 * @param sections the results of each experiment
 */
public record Results(String size, String command, Map<String, Object> machine, List<Section> sections) {
    /** Copies the list. */
    public Results {
        sections = List.copyOf(sections);
    }

    /**
     * Returns a warning that stands before the figures.
     *
     * @return the warning; empty if the figures may be published
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
     * Returns all warnings for a reader.
     *
     * @return the warnings; none if the figures may be published
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
     * Tells whether each experiment succeeded.
     *
     * @return true if none failed
     */
    public boolean isComplete() {
        return sections.stream().allMatch(section -> section.failure().isEmpty());
    }
}
