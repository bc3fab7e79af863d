package io.fibry.bench.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

/** Measured values of one thing. Medians, because one disturbed round must not count. */
public final class Samples {
    private final List<Double> values = new ArrayList<>();

    /**
     * Samples of values.
     *
     * @param values the values
     * @return the samples
     */
    public static Samples of(double... values) {
        var samples = new Samples();
        for (var value : values) {
            samples.add(value);
        }
        return samples;
    }

    /**
     * Adds one.
     *
     * @param value a number, more than zero
     */
    public void add(double value) {
        if (!Double.isFinite(value) || value <= 0) {
            throw new IllegalArgumentException("no result of a measurement: " + value);
        }
        values.add(value);
    }

    /**
     * The values in another unit.
     *
     * @param factor each value is multiplied by it
     * @return other samples
     */
    public Samples times(double factor) {
        return map(value -> value * factor);
    }

    /**
     * Something computed of each value.
     *
     * @param function what
     * @return other samples
     */
    public Samples map(DoubleUnaryOperator function) {
        return of(values.stream().mapToDouble(Double::doubleValue).map(function).toArray());
    }

    /**
     * The value in the middle.
     *
     * @return the median
     */
    public double median() {
        var sorted = values.stream().sorted().toList();
        var half = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2;
    }

    /**
     * The smallest value.
     *
     * @return the minimum
     */
    public double low() {
        return Collections.min(values);
    }

    /**
     * The largest value.
     *
     * @return the maximum
     */
    public double high() {
        return Collections.max(values);
    }

    /**
     * All values, in the order they were measured in.
     *
     * @return a copy
     */
    public List<Double> values() {
        return List.copyOf(values);
    }
}
