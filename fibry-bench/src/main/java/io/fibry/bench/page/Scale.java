package io.fibry.bench.page;

import io.fibry.bench.report.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;

/** Maps values to the range from 0 to 1: evenly, or by their logarithm if they differ widely. */
record Scale(boolean isLogarithmic, double low, double high) {
    private static final double WIDE = 30;
    private static final double[] STEPS = {1, 2, 5, 10};

    static Scale of(List<Row> rows) {
        var all = rows.stream().flatMapToDouble(row -> DoubleStream.of(row.samples().low(),
                row.samples().high(), row.article().isThere() ? row.article().value() : row.samples().high()))
                .summaryStatistics();
        if (all.getMax() / all.getMin() > WIDE) {
            return new Scale(true, power(Math.log10(all.getMin() * 0.8)), below(all.getMax(), 1.02));
        }
        return new Scale(false, 0, below(all.getMax(), 1.02));
    }

    private static double power(double exponent) {
        return Math.pow(10, Math.floor(exponent));
    }

    /** Returns the smallest round number that is greater than the value. */
    private static double below(double value, double room) {
        var power = power(Math.log10(value));
        for (var step : new double[]{1, 1.5, 2, 3, 4, 5, 6, 8, 10}) {
            if (step * power >= value * room) {
                return step * power;
            }
        }
        return 20 * power;
    }

    double place(double value) {
        var place = isLogarithmic
                ? Math.log(value / low) / Math.log(high / low)
                : (value - low) / (high - low);
        return Math.clamp(place, 0, 1);
    }

    /** Returns round values to show, about five. */
    List<Double> ticks() {
        var ticks = new ArrayList<Double>();
        if (isLogarithmic) {
            var decades = Math.log10(high / low);
            for (double power = low; power <= high * 1.001; power *= 10) {
                for (var step : decades > 2.5 ? new double[]{1} : new double[]{1, 2, 5}) {
                    if (step * power <= high * 1.001) {
                        ticks.add(step * power);
                    }
                }
            }
            return ticks;
        }
        var step = step(high / 5);
        for (int i = 0; i * step <= high * 1.001; i++) {
            ticks.add(i * step);
        }
        return ticks;
    }

    private static double step(double atLeast) {
        var power = power(Math.log10(atLeast));
        for (var step : STEPS) {
            if (step * power >= atLeast * 0.999) {
                return step * power;
            }
        }
        return STEPS[0] * power;
    }
}
